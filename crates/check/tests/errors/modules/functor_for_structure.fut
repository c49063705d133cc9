module type mt = {module m: {val x : i32}}
module k : mt = {
  module m (P: {val y : i32}) = {def x : i32 = P.y}
}
-- ==>
-- error: Cannot match parametric module "m" with non-parametric module type.
--  --> modules/functor_for_structure.fut:2:12-14
--   |
-- 2 | module k : mt = {
--   |            ^^
