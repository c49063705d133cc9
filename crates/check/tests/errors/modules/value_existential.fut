module m : {val f [n] : ([n]i32 -> ?[k].[k]i32) -> [n]i32 -> i32} = {
  def f [n] (g: [n]i32 -> [n]i32) (xs: [n]i32) : i32 = (g xs)[0]
}
-- ==>
-- error: Value "f" is not as the module type says. Module type specifies
--          val f [n] : ([n]i32 -> ?[k].[k]i32) -> [n]i32 -> i32
--        but module provides
--          val f [n1] : (g: [n1]i32 -> [n1]i32) -> (xs: [n1]i32) -> i32
--        Sizes "n" and "k" do not match.
--  --> modules/value_existential.fut:1:12-66
--   |
-- 1 | module m : {val f [n] : ([n]i32 -> ?[k].[k]i32) -> [n]i32 -> i32} = {
--   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
-- 2 |   def f [n] (g: [n]i32 -> [n]i32) (xs: [n]i32) : i32 = (g xs)[0]
--   |       - provided here
