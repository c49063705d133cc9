type r = {x: i32, y: bool, x: f32}
type s = #a i32 | #b | #a
type~ e = ?[n].i32
-- ==>
-- error: Duplicate record fields in {x: i32, y: bool, x: f32}.
--  --> modules/record_and_sum.fut:1:10-35
--   |
-- 1 | type r = {x: i32, y: bool, x: f32}
--   |          ^-^^^^^^^^^^^^^^^^-^^^^^^
--   |           |                |
--   |           first here       again here
--
-- error: Duplicate constructors in #a i32 | #b | #a.
--  --> modules/record_and_sum.fut:2:10-26
--   |
-- 2 | type s = #a i32 | #b | #a
--   |          --^^^^^^^^^^^^--
--   |          |             |
--   |          first here    again here
--
-- error: Existential size "n" not used as array size.
--  --> modules/record_and_sum.fut:3:11-19
--   |
-- 3 | type~ e = ?[n].i32
--   |           ^^^^^^^^
--   |
--   = note: a value of the type must show the size: as the size of an array that is not behind a function
--   = note: `fehu explain unused-existential` says more
