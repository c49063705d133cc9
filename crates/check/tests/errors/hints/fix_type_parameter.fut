def id (x: a) : a = x
module type m = { val f : b -> b }
-- ==>
-- error: Unknown type "a".
--  --> hints/fix_type_parameter.fut:1:12-13
--   |
-- 1 | def id (x: a) : a = x
--   |            ^    - and here
--   |
--   = help: a type parameter is declared before the first parameter, as in "def f 'a (x: a)"
--
-- error: Unknown type "b".
--  --> hints/fix_type_parameter.fut:2:27-28
--   |
-- 2 | module type m = { val f : b -> b }
--   |                           ^    - and here
--   |
--   = help: a type parameter is declared before the first parameter, as in "def f 'b (x: b)"
