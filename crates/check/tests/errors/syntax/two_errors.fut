def f (x: i32) = x + * 2
def g (x i32) = x
def h (x: i32) = x
-- ==>
-- error: Unexpected token: '*'
--  --> syntax/two_errors.fut:1:22-23
--   |
-- 1 | def f (x: i32) = x + * 2
--   |                      ^ expected an expression
--
-- error: Unexpected token: 'i32'
--  --> syntax/two_errors.fut:2:10-13
--   |
-- 2 | def g (x i32) = x
--   |          ^^^ expected ')'
