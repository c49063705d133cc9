def f (x: {a: i32, b: i32}) = {x | a = 3}
-- ==>
-- error: Unexpected token: '|'
--  --> forms/record_update.fut:1:34-35
--   |
-- 1 | def f (x: {a: i32, b: i32}) = {x | a = 3}
--   |                                  ^ expected '}'
--   |
--   = help: a record with another value for a field is written r with x = 1
