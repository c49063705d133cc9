def const 'a 'b (x: a) (_: b) = x

def main (x: i32) = const (\y -> y + x) 1i32
-- ==>
-- error: Cannot apply "const" to "(\y -> y + x)" (invalid type).
--        Expected: _
--        Actual:   i32 -> i32
--        Type "i32 -> i32" is functional, which the instance of non-lifted type parameter "a" (possibly an array element) may not be.
--  --> types/lifted_parameter.fut:3:27-40
--   |
-- 3 | def main (x: i32) = const (\y -> y + x) 1i32
--   |                     ----- ^^^^^^^^^^^^^
--   |                     |
--   |                     due to the instance of non-lifted type parameter "a" (possibly an array element)
