def s = "abc
-- ==>
-- error: Unclosed string literal.
--  --> hints/fix_string.fut:1:9-13
--   |
-- 1 | def s = "abc
--   |         ^^^^
--   |
--   = help: end the string with " on the line where it starts
