def f (x: i32): i32 = retur x

entry main (y: i32): i32 = f y
-- ==>
-- error: Unknown name "retur".
--  --> after/unknown_name.fut:1:23-28
--   |
-- 1 | def f (x: i32): i32 = retur x
--   |                       ^^^^^ not in scope
