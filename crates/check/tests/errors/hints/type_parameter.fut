def id (x: a) : i32 = 0
-- ==>
-- error: Unknown type "a".
--  --> hints/type_parameter.fut:1:12-13
--   |
-- 1 | def id (x: a) : i32 = 0
--   |            ^
--   |
--   = help: a type parameter is declared before the first parameter, as in "def f 'a (x: a)"
