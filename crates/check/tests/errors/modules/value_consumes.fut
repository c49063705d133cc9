module m : {val f : [1]f32 -> bool} = {
  def f (_: *[1]f32) : bool = true
}
-- ==>
-- error: Value "f" is not as the module type says. Module type specifies
--          val f : [1]f32 -> bool
--        but module provides
--          val f : *[1]f32 -> bool
--        Types
--          *[1]f32
--        and
--          [1]f32
--        are incompatible regarding consumption.
--  --> modules/value_consumes.fut:1:12-36
--   |
-- 1 | module m : {val f : [1]f32 -> bool} = {
--   |            ^^^^^^^^^^^^^^^^^^^^^^^^
-- 2 |   def f (_: *[1]f32) : bool = true
--   |       - provided here
