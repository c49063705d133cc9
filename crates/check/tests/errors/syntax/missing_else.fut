def f (x: i32) = if x > 0 then x
-- ==>
-- error: Unexpected end of file.
--  --> syntax/missing_else.fut:1:33-33
--   |
-- 1 | def f (x: i32) = if x > 0 then x
--   |                                 ^ expected 'else': both branches of an 'if' are needed
