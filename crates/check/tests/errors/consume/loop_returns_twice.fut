def main (n: i64) =
  loop (a: *[]i64, b: *[]i64) = (iota n, iota n) for _i < 3 do (a, a)
-- ==>
-- error: Return value for loop parameter "b" aliases other consumed loop parameter.
--  --> consume/loop_returns_twice.fut:2:64-70
--   |
-- 2 |   loop (a: *[]i64, b: *[]i64) = (iota n, iota n) for _i < 3 do (a, a)
--   |                                                                ^^^^^^ the values returned here share memory
--   |
--   = note: `fehu explain loop-parameter-aliases-other` says more
--   = help: return a copy of one of them, made with `copy`
--
-- warning: Unused name "b".
--  --> consume/loop_returns_twice.fut:2:20-21
--   |
-- 2 |   loop (a: *[]i64, b: *[]i64) = (iota n, iota n) for _i < 3 do (a, a)
--   |                    ^ never used
--   |
--   = help: remove it, or write `_b` to keep it
