def f (a: []i64) (b: *[]i64) : i64 = a[0] + b[0]
entry main (xs: *[]i64) = f xs (xs with [0] = 1)
-- ==>
-- error: Using variable "xs", but this was consumed before.
--  --> consume/argument_consumed_by_next.fut:2:29-31
--   |
-- 2 | entry main (xs: *[]i64) = f xs (xs with [0] = 1)
--   |                             ^^  -- consumed here
--   |                             |
--   |                             used here
--   |
--   = note: `fehu explain use-after-consume` says more
--   = help: consume a copy instead, made with `copy`, to keep the original usable
