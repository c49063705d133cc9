def f = \x, y -> x + y
-- ==>
-- error: Unexpected token: ','
--  --> forms/lambda_with_comma.fut:1:11-12
--   |
-- 1 | def f = \x, y -> x + y
--   |           ^ expected a parameter or '->'
--   |
--   = help: parameters are separated by spaces
