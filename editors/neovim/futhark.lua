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

-- Colours by the tree, where the parser of editors/tree-sitter is installed.
local function colour(buffer)
  if vim.treesitter.start then
    pcall(vim.treesitter.start, buffer, 'futhark')
  else
    -- Before 0.8.
    local found, parser = pcall(vim.treesitter.get_parser, buffer, 'futhark')
    if found then
      pcall(vim.treesitter.highlighter.new, parser)
    end
  end
end

-- The keys that Neovim 0.11 has for servers; `vim.g.fehu_keys = false` leaves them out.
local keys = {
  K = vim.lsp.buf.hover,
  gd = vim.lsp.buf.definition,
  grr = vim.lsp.buf.references,
  grn = vim.lsp.buf.rename,
  gra = vim.lsp.buf.code_action,
}

vim.api.nvim_create_autocmd('FileType', {
  pattern = 'futhark',
  callback = function(event)
    vim.bo[event.buf].commentstring = '-- %s'
    vim.bo[event.buf].expandtab = true
    vim.bo[event.buf].shiftwidth = 2
    colour(event.buf)
    attach(event.buf)
    if vim.g.fehu_keys ~= false then
      for key, action in pairs(keys) do
        vim.keymap.set('n', key, action, { buffer = event.buf })
      end
    end
  end,
})

-- `vim.g.fehu_format_on_save = true` formats a file before it is written.
vim.api.nvim_create_autocmd('BufWritePre', {
  pattern = '*.fut',
  callback = function()
    if vim.g.fehu_format_on_save then
      local format = vim.lsp.buf.format or vim.lsp.buf.formatting_sync
      format({ timeout_ms = 2000 })
    end
  end,
})
