def main (xs: *[]i32) =
  loop sum = 0 for i < 3 do
    let xs[i] = 0
    in sum + 1
-- ==>
-- warning: Defaulting ambiguous type to i32.
--  --> consume/not_consumable_in_loop.fut:4:12-13
--   |
-- 4 |     in sum + 1
--   |            ^
--   |
--   = help: annotate the type
--
-- error: Consuming variable "xs", which is not consumable.
--  --> consume/not_consumable_in_loop.fut:3:9-11
--   |
-- 1 | def main (xs: *[]i32) =
--   |           -- bound outside the function or loop body that consumes it
-- 2 |   loop sum = 0 for i < 3 do
-- 3 |     let xs[i] = 0
--   |         ^^ consumed here
--   |
--   = note: `fehu explain not-consumable` says more
--   = help: consume a copy, made with `copy`
--
-- warning: Unused name "xs".
--  --> consume/not_consumable_in_loop.fut:3:9-11
--   |
-- 3 |     let xs[i] = 0
--   |         ^^ the updated value is never used
