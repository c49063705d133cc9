def main (x: i32) = [\y -> y + x, \y -> y - x]
-- ==>
-- error: Cannot create array of this element type.
--        Type "i32 -> i32" is functional, which an array element may not be.
--  --> types/function_in_array.fut:1:21-47
--   |
-- 1 | def main (x: i32) = [\y -> y + x, \y -> y - x]
--   |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^
--   |                     |
--   |                     due to an array element
