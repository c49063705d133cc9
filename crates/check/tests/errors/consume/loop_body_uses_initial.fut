def main [n] (xs: *[n]i32) =
  let backup = xs
  in loop xs for i < n do xs with [i] = backup[i] + 1
-- ==>
-- error: Loop body uses variable "backup" (or an alias), but this is consumed by the initial loop argument.
--  --> consume/loop_body_uses_initial.fut:3:41-47
--   |
-- 3 |   in loop xs for i < n do xs with [i] = backup[i] + 1
--   |           --                            ^^^^^^ used here
--   |           |
--   |           consumed here, because the loop consumes its parameter
--   |
--   = note: `fehu explain use-after-consume` says more
--   = help: start the loop from a copy, made with `copy`
