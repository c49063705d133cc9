def inc (x: i32) : i32 = x + 1

def main (x: i32) = inc x 2
-- ==>
-- error: Cannot apply "inc" to argument #2 "2", as "inc" only takes 1 argument.
--  --> types/too_many_arguments.fut:3:27-28
--   |
-- 3 | def main (x: i32) = inc x 2
--   |                           ^
