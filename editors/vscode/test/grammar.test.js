// The scopes of each word of a sample, by the engine that VS Code uses.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { lines } = require('./scopes');

const here = (...parts) => path.join(__dirname, ...parts);

// `word  scope` for each word, lines divided by empty ones.
async function scopes(text) {
  const shown = [];
  for (const line of await lines(text)) {
    for (const { word, scopes } of line) {
      const scope = scopes.join(' ').replace(/\.futhark/g, '');
      if (word.trim() && scope && !scope.startsWith('punctuation')) {
        shown.push(`${word.trim()}  ${scope}`);
      }
    }
    shown.push('');
  }
  return shown.join('\n').trimEnd() + '\n';
}

test('the sample has its scopes', async () => {
  const found = await scopes(fs.readFileSync(here('sample.fut'), 'utf8'));
  if (process.env.BLESS) {
    fs.writeFileSync(here('sample.scopes'), found);
  }
  assert.strictEqual(found, fs.readFileSync(here('sample.scopes'), 'utf8'));
});

test('every reserved word is a keyword, and nothing else is', async () => {
  const words = 'if then else def let loop in val for do with local open include import type entry module while assert match case';
  for (const word of words.split(' ')) {
    const found = await scopes(word);
    assert.match(found, /  keyword\./, word);
  }
  for (const word of ["iffy", "in'", 'define', 'typed', '_let']) {
    assert.match(await scopes(word), /  variable\./, word);
  }
});

test('the files of the extension are JSON and name each other', () => {
  const read = (name) => JSON.parse(fs.readFileSync(here('..', name), 'utf8'));
  const manifest = read('package.json');
  for (const { configuration } of manifest.contributes.languages) {
    read(configuration);
  }
  for (const { path: file, scopeName } of manifest.contributes.grammars) {
    assert.strictEqual(read(file).scopeName, scopeName);
  }
  assert.ok(fs.existsSync(here('..', manifest.main)));
});
