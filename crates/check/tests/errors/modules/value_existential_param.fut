module m : {val f : (i32 -> ?[k].[k]i32) -> i32} = {
  def f [k] (g: i32 -> [k]i32) : i32 = (g 0)[0]
}
-- ==>
-- error: Value "f" is not as the module type says. Module type specifies
--          val f : (i32 -> ?[k1].[k1]i32) -> i32
--        but module provides
--          val f [k] : (g: i32 -> [k]i32) -> i32
--        Sizes "k" and "k1" do not match.
--  --> modules/value_existential_param.fut:1:12-49
--   |
-- 1 | module m : {val f : (i32 -> ?[k].[k]i32) -> i32} = {
--   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
-- 2 |   def f [k] (g: i32 -> [k]i32) : i32 = (g 0)[0]
--   |       - provided here
