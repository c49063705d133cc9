def f (x: i32) = while x < 3 do x + 1

def g (n: i64) = for i < n do i
-- ==>
-- error: Unexpected token: 'while'
--  --> hints/no_while.fut:1:18-23
--   |
-- 1 | def f (x: i32) = while x < 3 do x + 1
--   |                  ^^^^^ expected an expression
--   |
--   = help: a loop has values that change: loop x = 1 while x < 10 do x * 2, or loop s = 0 for i < n do s + i
--
-- error: Unexpected token: 'for'
--  --> hints/no_while.fut:3:18-21
--   |
-- 3 | def g (n: i64) = for i < n do i
--   |                  ^^^ expected an expression
--   |
--   = help: a loop has values that change: loop x = 1 while x < 10 do x * 2, or loop s = 0 for i < n do s + i
