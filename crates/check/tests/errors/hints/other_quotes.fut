// a comment
def f = 'abc'
# a comment
-- ==>
-- error: Unexpected token: '//'
--  --> hints/other_quotes.fut:1:1-3
--   |
-- 1 | // a comment
--   | ^^ expected a declaration: 'def', 'entry', 'type', 'module', 'open', 'import' or 'local'
--   |
--   = help: comments begin with '--'
--
-- error: Unexpected token: '''
--  --> hints/other_quotes.fut:2:9-10
--   |
-- 2 | def f = 'abc'
--   |         ^ expected an expression
--   |
--   = help: a text stands in double quotes, as in "abc"
--
-- error: Unexpected token: '#'
--  --> hints/other_quotes.fut:3:1-2
--   |
-- 3 | # a comment
--   | ^
--   |
--   = help: a constructor is written #name and an attribute #[name], without space after #; comments begin with --
