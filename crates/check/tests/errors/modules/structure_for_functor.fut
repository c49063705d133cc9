module type mt = {module m: {val y : i32} -> {val x : i32}}
module k : mt = {
  module m = {def x : i32 = 2}
}
-- ==>
-- error: Cannot match non-parametric module "m" with parametric module type.
--  --> modules/structure_for_functor.fut:2:12-14
--   |
-- 2 | module k : mt = {
--   |            ^^
