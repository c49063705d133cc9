def f (x: i32) = y + 1 where y = x * 2
-- ==>
-- error: Unexpected token: '='
--  --> hints/no_where.fut:1:32-33
--   |
-- 1 | def f (x: i32) = y + 1 where y = x * 2
--   |                                ^ expected the end of the declaration
--   |
--   = help: there is no 'where': bind names before they are used, as in let x = 1 in x + 2
