-- Colours by the tree, without a screen: opens programs with the parser of editors/tree-sitter, and looks at what has
-- which colour.
--
--   HOME=folder editors/tree-sitter/install neovim
--   SITE=folder/.local/share/nvim/site nvim --headless --clean -c 'luafile editors/neovim/colours.lua'
--
-- The exit code is 0 if every step gave what it should.

local function expect(what, fine, got)
  io.stdout:write((fine and 'ok: ' or 'WRONG: ') .. what .. ': ' .. tostring(got) .. '\n')
  if not fine then
    vim.cmd('cquit!')
  end
end

vim.opt.runtimepath:append(os.getenv('SITE'))
vim.g.fehu_command = { os.getenv('FEHU') or 'fehu', 'lsp' }
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
vim.cmd('luafile ' .. vim.fn.fnameescape(here .. '/futhark.lua'))
local query = (vim.treesitter.query and vim.treesitter.query.get or vim.treesitter.get_query)('futhark', 'highlights')

local programs = vim.fn.globpath(here .. '/../../examples', '*.fut', false, true)
local colours = {}
for _, program in ipairs(programs) do
  vim.cmd('edit ' .. vim.fn.fnameescape(program))
  local buffer = vim.api.nvim_get_current_buf()
  local root = vim.treesitter.get_parser(buffer, 'futhark'):parse()[1]:root()
  expect(vim.fn.fnamemodify(program, ':t'), not root:has_error(), 'a tree without errors')
  expect('it is coloured', vim.treesitter.highlighter.active[buffer] ~= nil, 'by its tree')
  for id, node in query:iter_captures(root, buffer, 0, -1) do
    local row, column, _, last = node:range()
    local text = vim.api.nvim_buf_get_lines(buffer, row, row + 1, true)[1]:sub(column + 1, last)
    colours[query.captures[id] .. ' ' .. text] = true
  end
end
for _, wanted in ipairs({ 'keyword def', 'function main', 'type.builtin f64', 'operator +' }) do
  expect('a colour', colours[wanted] ~= nil, wanted)
end
expect('the end', #programs > 3, #programs .. ' programs')
vim.cmd('qall!')
