def f (x: i32) = oops x

def g x = f x + 2

entry main (n: i32): i32 = g n
-- ==>
-- error: Unknown name "oops".
--  --> after/broken_call.fut:1:18-22
--   |
-- 1 | def f (x: i32) = oops x
--   |                  ^^^^ not in scope
