type f = i32 -> i32
type xs = []i32
type~ g = i32 -> i32
-- ==>
-- error: Non-lifted type abbreviations may not contain functions.
--  --> hints/fix_type_marks.fut:1:1-20
--   |
-- 1 | type f = i32 -> i32
--   | ^^^^^^^^^^^^^^^^^^^
--   |
--   = help: declare it with "type^"
--
-- error: Non-lifted type abbreviations may not use existential sizes in their definition.
--  --> hints/fix_type_marks.fut:2:1-16
--   |
-- 2 | type xs = []i32
--   | ^^^^^^^^^^^^^^^
--   |
--   = help: declare it with "type~", or give it size parameters
--
-- error: Non-lifted type abbreviations may not contain functions.
--  --> hints/fix_type_marks.fut:3:1-21
--   |
-- 3 | type~ g = i32 -> i32
--   | ^^^^^^^^^^^^^^^^^^^^
--   |
--   = help: declare it with "type^"
