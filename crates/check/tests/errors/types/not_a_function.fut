def main (x: i32) = x 3
-- ==>
-- error: Cannot apply "x" as function, as it has type "i32".
--  --> types/not_a_function.fut:1:21-22
--   |
-- 1 | def main (x: i32) = x 3
--   |                     ^
