def main (n: i64) =
  let table = replicate n (iota n)
  let row = table[2]
  let table[0] = iota n
  in row
-- ==>
-- error: Using variable "table", but this was consumed before.
--  --> consume/use_through_slice.fut:5:6-9
--   |
-- 4 |   let table[0] = iota n
--   |       ----- consumed here
-- 5 |   in row
--   |      ^^^ used here
--   |
--   = note: "row" may share its memory with variable "table"
--   = note: `fehu explain use-after-consume` says more
--   = help: consume a copy instead, made with `copy`, to keep the original usable
--
-- warning: Unused name "table".
--  --> consume/use_through_slice.fut:4:7-12
--   |
-- 4 |   let table[0] = iota n
--   |       ^^^^^ the updated value is never used
