module F (P: {val x : i32}) : {val y : i32} = {
  def z : i32 = 2
}
-- ==>
-- error: Module does not define a value named "y".
--  --> modules/functor_result.fut:1:31-44
--   |
-- 1 | module F (P: {val x : i32}) : {val y : i32} = {
--   |                               ^^^^^^^^^^^^^
