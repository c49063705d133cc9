def main (xs: *[]i32) =
  loop (a, b) = (xs, xs) for i < 3 do (a with [i] = 2, b)
-- ==>
-- error: Argument passed for consuming parameter is self-aliased.
--  --> consume/loop_initial_shared.fut:2:17-25
--   |
-- 2 |   loop (a, b) = (xs, xs) for i < 3 do (a with [i] = 2, b)
--   |                 ^^^^^^^^ two parts of this share memory
--   |
--   = note: both may be variable "xs"
--   = note: `fehu explain self-aliasing-arg` says more
--   = help: copy one of the parts with `copy`
