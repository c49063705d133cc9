module m : {type vec [n] 'a} = {
  type vec 'a = [3]a
}
-- ==>
-- error: Module defines
--          type vec 'a = [3]a
--        but module type requires
--          type vec [n] 'a
--  --> modules/abstract_params.fut:1:12-29
--   |
-- 1 | module m : {type vec [n] 'a} = {
--   |            ^^^^^^^^^^^^^^^^^
-- 2 |   type vec 'a = [3]a
--   |        --- defined here
