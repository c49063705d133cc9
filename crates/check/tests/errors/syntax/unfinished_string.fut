def f = "never closed
-- ==>
-- error: Unclosed string literal.
--  --> syntax/unfinished_string.fut:1:9-22
--   |
-- 1 | def f = "never closed
--   |         ^^^^^^^^^^^^^
--   |
--   = help: end the string with " on the line where it starts
