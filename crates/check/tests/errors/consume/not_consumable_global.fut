def table : []i32 = [2, 3, 5]

def changed (i: i32) = table with [0] = i
-- ==>
-- error: Consuming variable "table", which is not consumable.
--  --> consume/not_consumable_global.fut:3:24-29
--   |
-- 1 | def table : []i32 = [2, 3, 5]
--   |     ----- a top-level definition belongs to the whole program
-- 2 |
-- 3 | def changed (i: i32) = table with [0] = i
--   |                        ^^^^^ consumed here
--   |
--   = note: `fehu explain not-consumable` says more
--   = help: consume a copy, made with `copy`
