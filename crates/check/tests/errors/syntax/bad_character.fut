def f (x: i32) = x ~ 2
-- ==>
-- error: Unexpected token: '~'
--  --> syntax/bad_character.fut:1:20-21
--   |
-- 1 | def f (x: i32) = x ~ 2
--   |                    ^ expected the end of the declaration
