module m : {val f [n] [m] : [n][m]i32 -> [m]i32} = {
  def f [n] (xs: [n][n]i32) : [n]i32 = xs[0]
}
-- ==>
-- error: Value "f" is not as the module type says. Module type specifies
--          val f [n] [m] : [n][m]i32 -> [m]i32
--        but module provides
--          val f [n1] : (xs: [n1][n1]i32) -> [n1]i32
--        Sizes "n" and "m" do not match.
--  --> modules/value_sizes.fut:1:12-49
--   |
-- 1 | module m : {val f [n] [m] : [n][m]i32 -> [m]i32} = {
--   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
-- 2 |   def f [n] (xs: [n][n]i32) : [n]i32 = xs[0]
--   |       - provided here
