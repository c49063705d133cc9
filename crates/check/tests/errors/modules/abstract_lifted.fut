module m : {type t} = {
  type^ t = i32 -> i32
}
-- ==>
-- error: Module defines
--          type^ t = i32 -> i32
--        but module type requires a non-lifted type.
--  --> modules/abstract_lifted.fut:1:12-20
--   |
-- 1 | module m : {type t} = {
--   |            ^^^^^^^^
-- 2 |   type^ t = i32 -> i32
--   |         - defined here
