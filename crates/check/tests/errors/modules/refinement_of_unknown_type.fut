module type s = { type t val x : t }
module type r = s with u = i32
-- ==>
-- error: "u" is not an abstract type in the module type.
--  --> modules/refinement_of_unknown_type.fut:2:24-25
--   |
-- 2 | module type r = s with u = i32
--   |                        ^
