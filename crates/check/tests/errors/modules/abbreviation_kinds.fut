type f = i32 -> i32
type v = []i32
type~ w = []i32
type x = (w, i32)
type y [n] = i32
type^ z = []i32 -> i32
-- ==>
-- error: Non-lifted type abbreviations may not contain functions.
--  --> modules/abbreviation_kinds.fut:1:1-20
--   |
-- 1 | type f = i32 -> i32
--   | ^^^^^^^^^^^^^^^^^^^
--   |
--   = help: declare it with "type^"
--
-- error: Non-lifted type abbreviations may not use existential sizes in their definition.
--  --> modules/abbreviation_kinds.fut:2:1-15
--   |
-- 2 | type v = []i32
--   | ^^^^^^^^^^^^^^
--   |
--   = help: declare it with "type~", or give it size parameters
--
-- error: Non-size-lifted type abbreviations may not contain size-lifted types.
--  --> modules/abbreviation_kinds.fut:4:1-18
--   |
-- 4 | type x = (w, i32)
--   | ^^^^^^^^^^^^^^^^^
--   |
--   = help: declare it with "type~"
--
-- error: Size parameter "[n]" unused.
--  --> modules/abbreviation_kinds.fut:5:1-17
--   |
-- 5 | type y [n] = i32
--   | ^^^^^^^^^^^^^^^^
--
-- error: Type abbreviation contains an anonymous size not used constructively as an array size.
--  --> modules/abbreviation_kinds.fut:6:1-23
--   |
-- 6 | type^ z = []i32 -> i32
--   | ^^^^^^^^^^^^^^^^^^^^^^
--   |
--   = note: a function does not show the sizes of its parameters
--   = note: `fehu explain anonymous-nonconstructive` says more
