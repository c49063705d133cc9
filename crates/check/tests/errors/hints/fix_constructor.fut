def x : #a | #b = # a
-- ==>
-- error: Unexpected token: '#'
--  --> hints/fix_constructor.fut:1:19-20
--   |
-- 1 | def x : #a | #b = # a
--   |                   ^
--   |
--   = help: a constructor is written #name and an attribute #[name], without space after #; comments begin with --
