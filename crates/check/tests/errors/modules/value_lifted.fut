module m : {val f '^a : a -> a} = {
  def f 'a (x: a) : a = x
}
-- ==>
-- error: Value "f" is not as the module type says. Module type specifies
--          val f '^a1 : a1 -> a1
--        but module provides
--          val f 'a : (x: a) -> a
--        The type parameter "a" may not stand for "a1", which is of a more lifted kind.
--  --> modules/value_lifted.fut:1:12-32
--   |
-- 1 | module m : {val f '^a : a -> a} = {
--   |            ^^^^^^^^^^^^^^^^^^^^
-- 2 |   def f 'a (x: a) : a = x
--   |       - provided here
