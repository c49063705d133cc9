module m = {
  entry f (x: i32) : i32 = x
}
-- ==>
-- warning: Unused name "x".
--  --> modules/nested_entry.fut:2:12
--   |
-- 2 |   entry f (x: i32) : i32 = x
--   |            ^ never used
--   |
--   = help: remove it, or write `_x` to keep it
--
-- error: Entry points may not be declared inside modules.
--  --> modules/nested_entry.fut:2:9
--   |
-- 2 |   entry f (x: i32) : i32 = x
--   |         ^
--   |
--   = note: see error-index.html#nested-entry
--   = help: declare "entry f = m.f" at the top level of the file
