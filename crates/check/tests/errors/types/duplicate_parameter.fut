def main (x: i32) (x: i32) = x
-- ==>
-- error: Name "x" also bound in the same pattern.
--  --> types/duplicate_parameter.fut:1:20-21
--   |
-- 1 | def main (x: i32) (x: i32) = x
--   |           -        ^ bound again
--   |           |
--   |           also bound here
