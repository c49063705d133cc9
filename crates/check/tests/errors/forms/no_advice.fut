def a (x: i32) = fst x
def b (xs: []i32) = xs + true
def c = "a" - "b"
def d (xs: []i32) = reduce (\a b -> a + b) xs
def e (xss: [][]f32) = f32.sqrt xss
def f (s: {a: i32}) = s {a = 1} 2
def g = [1i32 <- 2]
-- ==>
-- error: Unknown name "fst".
--  --> forms/no_advice.fut:1:18-21
--   |
-- 1 | def a (x: i32) = fst x
--   |                  ^^^ not in scope
--
-- error: Cannot apply "+" to "xs" (invalid type).
--        Expected: a number
--        Actual:   []i32
--        Type "[]i32" is not one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, as demanded by the use of "+".
--  --> forms/no_advice.fut:2:21-23
--   |
-- 2 | def b (xs: []i32) = xs + true
--   |                     ^^ - due to the use of "+"
--
-- error: Cannot apply "-" to ""a"" (invalid type).
--        Expected: a number
--        Actual:   []u8
--        Type "[]u8" is not one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, as demanded by the use of "-".
--  --> forms/no_advice.fut:3:9-12
--   |
-- 3 | def c = "a" - "b"
--   |         ^^^ - due to the use of "-"
--
-- error: Cannot apply "reduce" to "xs" (invalid type).
--        Expected: a number
--        Actual:   []i32
--        Type "[]i32" is not one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, as demanded by the use of "+".
--  --> forms/no_advice.fut:4:44-46
--   |
-- 4 | def d (xs: []i32) = reduce (\a b -> a + b) xs
--   |                                       -    ^^
--   |                                       |
--   |                                       due to the use of "+"
--
-- error: Cannot apply "f32.sqrt" to "xss" (invalid type).
--        Expected: f32
--        Actual:   [][]f32
--        Types "f32" and "[][]f32" do not match.
--  --> forms/no_advice.fut:5:33-36
--   |
-- 5 | def e (xss: [][]f32) = f32.sqrt xss
--   |                                 ^^^
--
-- error: Cannot apply "s" as function, as it has type "{a: i32}".
--  --> forms/no_advice.fut:6:23-24
--   |
-- 6 | def f (s: {a: i32}) = s {a = 1} 2
--   |                       ^
--
-- error: Unknown name "<-".
--  --> forms/no_advice.fut:7:15-17
--   |
-- 7 | def g = [1i32 <- 2]
--   |               ^^ not in scope
