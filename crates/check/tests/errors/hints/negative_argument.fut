def f (x: i32) = x + 1
def g (x: i32) = f -x
-- ==>
-- error: Cannot apply "-" to "f" (invalid type).
--        Expected: a number
--        Actual:   (x: i32) -> i32
--        Type "(x: i32) -> i32" is not one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, as demanded by the use of "-".
--  --> hints/negative_argument.fut:2:18-19
--   |
-- 2 | def g (x: i32) = f -x
--   |                  ^ - due to the use of "-"
--   |
--   = help: this subtracts; to pass a negative argument, write "f (-x)"
