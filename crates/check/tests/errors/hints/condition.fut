def f (x: i32) = if x = 0 then 1 else 2
-- ==>
-- error: Unexpected token: '='
--  --> hints/condition.fut:1:23-24
--   |
-- 1 | def f (x: i32) = if x = 0 then 1 else 2
--   |                       ^ expected 'then'
--   |
--   = help: '=' only defines; compare with '=='
