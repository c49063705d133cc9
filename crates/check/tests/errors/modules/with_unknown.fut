module type mt = {type t} with u = i32
-- ==>
-- error: "u" is not an abstract type in the module type.
--  --> modules/with_unknown.fut:1:32-33
--   |
-- 1 | module type mt = {type t} with u = i32
--   |                                ^
