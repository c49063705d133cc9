def f (xs: []i32) = length xs
def n = f[]
-- ==>
-- error: An index is missing between the brackets.
--  --> hints/fix_empty_array.fut:2:10-12
--   |
-- 2 | def n = f[]
--   |          ^^
--   |
--   = help: to pass an empty array to a function, put a space before it: f []
