module m = {
  entry f (x: i32) : i32 = x
}
-- ==>
-- error: Entry points may not be declared inside modules.
--  --> modules/nested_entry.fut:2:9-10
--   |
-- 2 |   entry f (x: i32) : i32 = x
--   |         ^
--   |
--   = note: `fehu explain nested-entry` says more
--   = help: write "def" here, and declare "entry f = m.f" at the top level of the file
