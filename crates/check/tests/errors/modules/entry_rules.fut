entry poly 'a (x: a) : a = x
entry higher (_: i32 -> i32) : i32 = 2
entry sized [n] (_: [n + 1]i32) : i64 = n
-- ==>
-- error: Entry point functions may not be polymorphic.
--  --> modules/entry_rules.fut:1:7-11
--   |
-- 1 | entry poly 'a (x: a) : a = x
--   |       ^^^^
--   |
--   = note: `fehu explain polymorphic-entry` says more
--   = help: declare one entry point for each type that it is needed at
--
-- error: Entry point functions may not be higher-order.
--  --> modules/entry_rules.fut:2:7-13
--   |
-- 2 | entry higher (_: i32 -> i32) : i32 = 2
--   |       ^^^^^^
--   |
--   = note: `fehu explain higher-order-entry` says more
--
-- error: Entry point size parameter [n] only used non-constructively.
--  --> modules/entry_rules.fut:3:7-12
--   |
-- 3 | entry sized [n] (_: [n + 1]i32) : i64 = n
--   |       ^^^^^
--   |
--   = note: `fehu explain nonconstructive-entry` says more
--   = note: its value must be the size of an argument, since it cannot be computed back from an expression
