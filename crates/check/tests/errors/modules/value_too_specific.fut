module m : {val pair 'a 'b : a -> b -> (a, b)} = {
  def pair 'a (x: a) (y: a) : (a, a) = (x, y)
}
-- ==>
-- error: Value "pair" is not as the module type says. Module type specifies
--          val pair 'a 'b : a -> b -> (a, b)
--        but module provides
--          val pair 'a1 : (x: a1) -> (y: a1) -> (a1, a1)
--        Types
--          a
--        and
--          b
--        do not match.
--  --> modules/value_too_specific.fut:1:12-47
--   |
-- 1 | module m : {val pair 'a 'b : a -> b -> (a, b)} = {
--   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
-- 2 |   def pair 'a (x: a) (y: a) : (a, a) = (x, y)
--   |       ---- provided here
