def f (x: i32) =

def g (x: i32) = x + 1
-- ==>
-- error: Unexpected token: 'def'
--  --> syntax/missing_expression.fut:3:1-4
--   |
-- 3 | def g (x: i32) = x + 1
--   | ^^^ expected an expression
--   |
--   = help: close the expression before this declaration
