module type mt = {type t} with t = i32 with t = i64
-- ==>
-- error: "t" is not an abstract type in the module type.
--  --> modules/with_twice.fut:1:45-46
--   |
-- 1 | module type mt = {type t} with t = i32 with t = i64
--   |                                             ^
