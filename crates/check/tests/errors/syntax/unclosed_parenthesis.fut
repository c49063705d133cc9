def f (x: i32) = (x + 1

def g (x: i32) = x
-- ==>
-- error: Unexpected token: 'def'
--  --> syntax/unclosed_parenthesis.fut:3:1-4
--   |
-- 1 | def f (x: i32) = (x + 1
--   |                  - this is never closed
-- 2 |
-- 3 | def g (x: i32) = x
--   | ^^^ expected ')'
