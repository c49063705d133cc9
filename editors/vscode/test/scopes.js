// The words of a text with their scopes, by the engine that VS Code uses.

const fs = require('node:fs');
const path = require('node:path');
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

const file = path.join(__dirname, '../syntaxes/futhark.tmLanguage.json');
let loaded;

async function load() {
  await oniguruma.loadWASM(fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(file, 'utf8'), file),
  });
  return registry.loadGrammar('source.futhark');
}

// For each line, its words: `{ word, scopes }`.
exports.lines = async (text) => {
  loaded ??= load();
  const grammar = await loaded;
  let stack = textmate.INITIAL;
  return text.split('\n').map((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    return tokens.map((t) => ({ word: line.slice(t.startIndex, t.endIndex), scopes: t.scopes.slice(1) }));
  });
};
