def main (xs: *[]i32) =
  let at = \i -> xs[i]
  let xs[0] = 3
  in at 2
-- ==>
-- error: Using variable "xs", but this was consumed before.
--  --> consume/closure_after_consume.fut:4:6-8
--   |
-- 3 |   let xs[0] = 3
--   |       -- consumed here
-- 4 |   in at 2
--   |      ^^ used here
--   |
--   = note: "at" may share its memory with variable "xs"
--   = note: `fehu explain use-after-consume` says more
--   = help: consume a copy instead, made with `copy`, to keep the original usable
--
-- warning: Unused name "xs".
--  --> consume/closure_after_consume.fut:3:7-9
--   |
-- 3 |   let xs[0] = 3
--   |       ^^ the updated value is never used
