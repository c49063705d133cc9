def f (k: i64) (d: i64) = let s = replicate k (replicate d 0f32) in s + 1
def g (n: i64) (xs: []i32) = let ys = filter (> 2) xs in ys + n
-- ==>
-- error: Cannot apply "+" to "s" (invalid type).
--        Expected: a number
--        Actual:   [k][d]f32
--        Type "[k][d]f32" is not one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, as demanded by the use of "+".
--  --> types/sizes_of_results.fut:1:69-70
--   |
-- 1 | def f (k: i64) (d: i64) = let s = replicate k (replicate d 0f32) in s + 1
--   |                                                                     ^ - due to the use of "+"
--
-- error: Cannot apply "+" to "ys" (invalid type).
--        Expected: a number
--        Actual:   []i32
--        Type "[]i32" is not one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, as demanded by the use of "+".
--  --> types/sizes_of_results.fut:2:58-60
--   |
-- 2 | def g (n: i64) (xs: []i32) = let ys = filter (> 2) xs in ys + n
--   |                                                          ^^ - due to the use of "+"
