entry main (xs: *[2][2]i32) = (xs with [1] = [0,0]) with [0] = xs[1]
-- ==>
-- error: Using variable "xs", but this was consumed before.
--  --> consume/value_consumed_by_source.fut:1:64-69
--   |
-- 1 | entry main (xs: *[2][2]i32) = (xs with [1] = [0,0]) with [0] = xs[1]
--   |                                -- consumed here                ^^^^^ used here
--   |
--   = note: `fehu explain use-after-consume` says more
--   = help: consume a copy instead, made with `copy`, to keep the original usable
