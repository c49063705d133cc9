module F (P: {val x : i32}) = {
  def y : i32 = P.x
}

module m = F {def x : f32 = 1}
-- ==>
-- error: Value "x" is not as the module type says. Module type specifies
--          val x : i32
--        but module provides
--          val x : f32
--        Types
--          i32
--        and
--          f32
--        do not match.
--  --> modules/functor_argument.fut:5:14-31
--   |
-- 1 | module F (P: {val x : i32}) = {
--   |          ------------------ the parameter that it must suit
-- ...
-- 5 | module m = F {def x : f32 = 1}
--   |              ^^^^^-^^^^^^^^^^^
--   |                   |
--   |                   provided here
