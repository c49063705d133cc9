def main (x: i32) =
  (loop f = (\y -> y + x) for _i < 3 do \y -> f y + 1) 2
-- ==>
-- error: Invalid type of loop parameter.
--        A loop parameter may not be of function type, but this is "i32 -> i32".
--  --> types/function_as_loop_parameter.fut:2:13-26
--   |
-- 2 |   (loop f = (\y -> y + x) for _i < 3 do \y -> f y + 1) 2
--   |             ^^^^^^^^^^^^^
--   |             |
--   |             due to A loop parameter
