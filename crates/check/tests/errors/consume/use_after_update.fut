def bump (xs: *[]i32) =
  let ys = xs with [0] = 7
  in ys[0] + xs[0]
-- ==>
-- error: Using variable "xs", but this was consumed before.
--  --> consume/use_after_update.fut:3:14-16
--   |
-- 2 |   let ys = xs with [0] = 7
--   |            -- consumed here
-- 3 |   in ys[0] + xs[0]
--   |              ^^ used here
--   |
--   = note: `fehu explain use-after-consume` says more
--   = help: consume a copy instead, made with `copy`, to keep the original usable
