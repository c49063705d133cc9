-- Futhark in Neovim (0.7 or newer): the file type, and the language server of Fehu.
--
-- Put this file into ~/.config/nvim/plugin/, and `fehu` into the PATH. To use another executable:
--   vim.g.fehu_command = { '/path/to/fehu', 'lsp' }

vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  pattern = '*.fut',
  callback = function()
    vim.bo.filetype = 'futhark'
  end,
})

local function root_of(file)
  local dir = vim.fn.fnamemodify(file, ':p:h')
  local package = vim.fn.findfile('futhark.pkg', dir .. ';')
  return package ~= '' and vim.fn.fnamemodify(package, ':p:h') or dir
end

-- One server for each folder.
local servers = {}

local function attach(buffer)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  if not servers[root] then
    servers[root] = vim.lsp.start_client({
      name = 'fehu',
      cmd = vim.g.fehu_command or { 'fehu', 'lsp' },
      root_dir = root,
      on_exit = function()
        servers[root] = nil
      end,
    })
  end
  vim.lsp.buf_attach_client(buffer, servers[root])
end

vim.api.nvim_create_autocmd('FileType', {
  pattern = 'futhark',
  callback = function(event)
    vim.bo[event.buf].commentstring = '-- %s'
    attach(event.buf)
  end,
})
