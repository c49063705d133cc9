def f x = f (x - 1i32)
-- ==>
-- error: The result of the recursive function "f" is not known.
--  --> types/recursive_unknown.fut:1:1-23
--   |
-- 1 | def f x = f (x - 1i32)
--   | ^^^^^^^^^^^^^^^^^^^^^^
--   |
--   = note: each way through it calls it again
--   = help: annotate the type of the result, as in `def f (x: i32): i32 = ...`
