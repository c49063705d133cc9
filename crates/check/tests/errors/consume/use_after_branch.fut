def main (early: bool) (xs: *[]i32) =
  let ys = if early then xs with [0] = 1 else [1, 2]
  in ys[0] + xs[0]
-- ==>
-- error: Using variable "xs", but this was consumed before.
--  --> consume/use_after_branch.fut:3:14-16
--   |
-- 2 |   let ys = if early then xs with [0] = 1 else [1, 2]
--   |                          -- consumed here
-- 3 |   in ys[0] + xs[0]
--   |              ^^ used here
--   |
--   = note: `fehu explain use-after-consume` says more
--   = help: consume a copy instead, made with `copy`, to keep the original usable
