// A program as a page, with the colours of VS Code's dark theme: node test/render.js FILE > page.html

const fs = require('node:fs');
const { lines } = require('./scopes');

// The longest prefix of a scope decides.
const colours = {
  comment: '#6A9955',
  string: '#CE9178',
  'constant.character': '#CE9178',
  'constant.character.escape': '#D7BA7D',
  'constant.numeric': '#B5CEA8',
  'constant.language': '#569CD6',
  'constant.other': '#4FC1FF',
  keyword: '#569CD6',
  'keyword.control': '#C586C0',
  'keyword.operator': '#D4D4D4',
  'entity.name.function': '#DCDCAA',
  'entity.name.type': '#4EC9B0',
  'entity.name.namespace': '#4EC9B0',
  'entity.other.attribute-name': '#9CDCFE',
  'support.type': '#4EC9B0',
  variable: '#9CDCFE',
  invalid: '#F44747',
};

function colour(scopes) {
  for (const scope of [...scopes].reverse()) {
    const parts = scope.split('.');
    for (let n = parts.length; n > 0; n--) {
      const found = colours[parts.slice(0, n).join('.')];
      if (found) {
        return found;
      }
    }
  }
  return '#D4D4D4';
}

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

(async () => {
  const text = fs.readFileSync(process.argv[2], 'utf8');
  const shown = (await lines(text)).map((line) =>
    line.map(({ word, scopes }) => `<span style="color:${colour(scopes)}">${escaped(word)}</span>`).join(''),
  );
  console.log(
    `<!doctype html><meta charset="utf-8"><body style="background:#1E1E1E;margin:16px"><pre style="font:15px/1.4 monospace">${shown.join('\n')}</pre>`,
  );
})();
