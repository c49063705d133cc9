def main (c: bool) (x: i32) = (if c then \y -> y + x else \y -> y - x) 2
-- ==>
-- error: Invalid type of if expression.
--        The result of an if may not be of function type, but this is "i32 -> i32".
--  --> types/function_from_branch.fut:1:32-70
--   |
-- 1 | def main (c: bool) (x: i32) = (if c then \y -> y + x else \y -> y - x) 2
--   |                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   |                                |
--   |                                due to The result of an if
