def main (xs: *[]i32) (is: []i32) =
  map (\i -> let xs[i] = 0 in i) is
-- ==>
-- error: Consuming variable "xs", which is not consumable.
--  --> consume/not_consumable_in_lambda.fut:2:18-20
--   |
-- 1 | def main (xs: *[]i32) (is: []i32) =
--   |           -- bound outside the function or loop body that consumes it
-- 2 |   map (\i -> let xs[i] = 0 in i) is
--   |                  ^^ consumed here
--   |
--   = note: `fehu explain not-consumable` says more
--   = help: consume a copy, made with `copy`
--
-- warning: Unused name "xs".
--  --> consume/not_consumable_in_lambda.fut:2:18-20
--   |
-- 2 |   map (\i -> let xs[i] = 0 in i) is
--   |                  ^^ the updated value is never used
