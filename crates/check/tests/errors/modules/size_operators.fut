module m : {val f : (a: i64) -> (b: i64) -> [a + b]i32} = {
  def f (a: i64) (b: i64) : [a * b]i32 = replicate (a * b) 1i32
}
-- ==>
-- error: Value "f" is not as the module type says. Module type specifies
--          val f : (a: i64) -> (b: i64) -> [a + b]i32
--        but module provides
--          val f : (a: i64) -> (b: i64) -> [a * b]i32
--        Sizes "a + b" and "a * b" do not match.
--  --> modules/size_operators.fut:1:12-56
--   |
-- 1 | module m : {val f : (a: i64) -> (b: i64) -> [a + b]i32} = {
--   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
-- 2 |   def f (a: i64) (b: i64) : [a * b]i32 = replicate (a * b) 1i32
--   |       - provided here
