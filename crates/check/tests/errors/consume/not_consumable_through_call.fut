def same (xs: []i32) : []i32 = xs

def main (input: []i32) =
  let ys = same input
  in ys with [0] = 1
-- ==>
-- error: Consuming variable "input", which is not consumable.
--  --> consume/not_consumable_through_call.fut:5:6-8
--   |
-- 3 | def main (input: []i32) =
--   |           ----- a parameter whose type is not marked with `*`
-- 4 |   let ys = same input
-- 5 |   in ys with [0] = 1
--   |      ^^ consumed here
--   |
--   = note: `fehu explain not-consumable` says more
--   = help: mark the parameter's type with `*`, or consume a copy, made with `copy`
