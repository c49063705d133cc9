def eat (p: *([]i64, []i64)) : i64 = p.0[0] + p.1[0]

def main (n: i64) =
  let xs = iota n
  in eat (xs, xs)
-- ==>
-- error: Argument passed for consuming parameter is self-aliased.
--  --> consume/self_aliased_argument.fut:5:10-18
--   |
-- 5 |   in eat (xs, xs)
--   |          ^^^^^^^^ two parts of this share memory
--   |
--   = note: both may be variable "xs"
--   = note: `fehu explain self-aliasing-arg` says more
--   = help: copy one of the parts with `copy`
