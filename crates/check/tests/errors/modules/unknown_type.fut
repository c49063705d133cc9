type vector = [3]f32

type pair = (vectr, i32)
-- ==>
-- error: Unknown type "vectr".
--  --> modules/unknown_type.fut:3:14-19
--   |
-- 3 | type pair = (vectr, i32)
--   |              ^^^^^
--   |
--   = help: there is a type "vector"
