-- A session with the language server, without a screen: what a user would do, with a log of what came back.
--
--   nvim --headless --clean -l ...   does not exist before 0.9, so:
--   FEHU=target/debug/fehu nvim --headless --clean -c 'luafile editors/neovim/session.lua'
--
-- The log goes to the file $LOG, or to standard output. The exit code is 0 if every step gave what it should.

local fehu = os.getenv('FEHU') or 'fehu'
local log_file = os.getenv('LOG')
local lines = {}

local function log(text)
  table.insert(lines, text)
end

local function finish(code)
  local text = table.concat(lines, '\n') .. '\n'
  if log_file then
    local file = assert(io.open(log_file, 'w'))
    file:write(text)
    file:close()
  else
    io.stdout:write(text)
  end
  for _, client in pairs(vim.lsp.get_active_clients()) do
    client.stop()
  end
  vim.wait(2000, function()
    return #vim.lsp.get_active_clients() == 0
  end, 20)
  vim.cmd(code == 0 and 'qall!' or 'cquit!')
end

local function expect(what, fine, got)
  log((fine and 'ok: ' or 'WRONG: ') .. what .. ': ' .. got)
  if not fine then
    finish(1)
    error('the session ends')
  end
end

local function main()
  vim.g.fehu_command = { fehu, 'lsp' }
  local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
  vim.cmd('luafile ' .. vim.fn.fnameescape(here .. '/futhark.lua'))

  local folder = vim.fn.tempname() .. ' with spaces é'
  vim.fn.mkdir(folder, 'p')
  local path = folder .. '/schön.fut'
  vim.fn.writefile({
    '-- | Twice as much.',
    'def twice (x: i32)=x+x',
    '',
    'def main (y: i32) =',
    '  let z = twice y',
    '  in z + wrong',
  }, path)
  vim.cmd('edit ' .. vim.fn.fnameescape(path))
  local buffer = vim.api.nvim_get_current_buf()
  local uri = vim.uri_from_bufnr(buffer)

  local function text()
    return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
  end
  local function ask(method, params)
    params.textDocument = { uri = uri }
    local answers = vim.lsp.buf_request_sync(buffer, method, params, 20000)
    for _, answer in pairs(answers or {}) do
      return answer.result
    end
  end
  local function at(line, character)
    return { position = { line = line, character = character } }
  end
  local encoding = function()
    for _, client in pairs(vim.lsp.get_active_clients()) do
      return client.offset_encoding
    end
  end

  vim.wait(20000, function()
    return #vim.diagnostic.get(buffer) > 0
  end, 20)
  local found = vim.diagnostic.get(buffer)
  expect('a diagnostic', #found == 1, found[1] and (found[1].lnum + 1) .. ': ' .. found[1].message or 'none')

  vim.api.nvim_buf_set_lines(buffer, 5, 6, false, { '  in z + 1' })
  vim.wait(20000, function()
    return #vim.diagnostic.get(buffer) == 0
  end, 20)
  expect('it goes when the text is right', #vim.diagnostic.get(buffer) == 0, text():gsub('\n', ' | '))

  local hover = ask('textDocument/hover', at(4, 11))
  local shown = hover and hover.contents.value or 'nothing'
  expect('hover', shown:find('twice : %(x: i32%) %-> i32') ~= nil, shown:gsub('\n', ' | '))

  local definition = ask('textDocument/definition', at(4, 11))
  expect('definition', definition and definition.range.start.line == 1, vim.inspect(definition and definition.range.start):gsub('%s+', ' '))

  local signature = ask('textDocument/signatureHelp', at(4, 16))
  local label = signature and signature.signatures[1].label or 'nothing'
  expect('signature', label == 'twice : (x: i32) -> i32', label)

  local completion = ask('textDocument/completion', at(4, 13))
  local labels = {}
  for _, item in ipairs(completion and completion.items or {}) do
    labels[item.label] = true
  end
  expect('completion', labels.twice and labels.reduce, 'twice, reduce and others')

  local hints = ask('textDocument/inlayHint', { range = { start = { line = 0, character = 0 }, ['end'] = { line = 9, character = 0 } } })
  local hinted = {}
  for _, hint in ipairs(hints or {}) do
    table.insert(hinted, (hint.position.line + 1) .. hint.label)
  end
  expect('hints', #hinted == 3, table.concat(hinted, ', '))

  local tokens = ask('textDocument/semanticTokens/full', {})
  expect('semantic tokens', tokens and #tokens.data % 5 == 0 and #tokens.data > 0, tostring(tokens and #tokens.data / 5) .. ' words')

  local renamed = ask('textDocument/rename', vim.tbl_extend('error', at(1, 5), { newName = 'double' }))
  vim.lsp.util.apply_workspace_edit(renamed, encoding())
  expect('rename', text():find('double y') ~= nil, text():gsub('\n', ' | '))

  local edits = ask('textDocument/formatting', { options = { tabSize = 2, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(edits, buffer, encoding())
  expect('format', text():find('def double %(x: i32%) = x %+ x') ~= nil, text():gsub('\n', ' | '))

  vim.fn.delete(folder, 'rf')
  log('ok: the end')
  finish(0)
end

local fine, why = pcall(main)
if not fine then
  log('WRONG: ' .. tostring(why))
  finish(1)
end
