def main (xs: *[]i32) =
  loop ys: []i32 = xs for i < 4 do ys with [i] = 2
-- ==>
-- error: Consuming variable "ys", which is not consumable.
--  --> consume/not_consumable_declared_loop_param.fut:2:36-38
--   |
-- 2 |   loop ys: []i32 = xs for i < 4 do ys with [i] = 2
--   |        --                          ^^ consumed here
--   |        |
--   |        a loop parameter declared without `*`
--   |
--   = note: `fehu explain not-consumable` says more
--   = help: mark the loop parameter's type with `*`
