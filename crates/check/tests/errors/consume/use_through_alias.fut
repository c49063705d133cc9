def main (n: i64) =
  let grid = iota n
  let same = grid
  let grid[0] = 5
  in same[1]
-- ==>
-- error: Using variable "grid", but this was consumed before.
--  --> consume/use_through_alias.fut:5:6-10
--   |
-- 4 |   let grid[0] = 5
--   |       ---- consumed here
-- 5 |   in same[1]
--   |      ^^^^ used here
--   |
--   = note: "same" may share its memory with variable "grid"
--   = note: `fehu explain use-after-consume` says more
--   = help: consume a copy instead, made with `copy`, to keep the original usable
--
-- warning: Unused name "grid".
--  --> consume/use_through_alias.fut:4:7-11
--   |
-- 4 |   let grid[0] = 5
--   |       ^^^^ the updated value is never used
