def sq x = x * x
def scaled by x = map (* by) x
def a (x: f32) = sq x
def b (xs: []i64) = scaled 2i64 xs
def c (xs: []f32) : i32 = let ys = map (+ 1) xs in length ys
def d (n: i32) =
  let mut s = 0
  in s + n
-- ==>
-- warning: Defaulting ambiguous type to i32.
--  --> forms/numbers.fut:1:14-15
--   |
-- 1 | def sq x = x * x
--   |              ^
--   |
--   = help: annotate the type
--
-- warning: Defaulting ambiguous type to i32.
--  --> forms/numbers.fut:2:24-25
--   |
-- 2 | def scaled by x = map (* by) x
--   |                        ^
--   |
--   = help: annotate the type
--
-- error: Cannot apply "sq" to "x" (invalid type).
--        Expected: i32
--        Actual:   f32
--        Types "i32" and "f32" do not match.
--  --> forms/numbers.fut:3:21-22
--   |
-- 3 | def a (x: f32) = sq x
--   |                     ^
--   |
--   = help: "sq" has the type (x: i32) -> i32 because nothing says otherwise; write "def sq (x: f32)"
--
-- error: Cannot apply "scaled" to "2i64" (invalid type).
--        Expected: i32
--        Actual:   i64
--        Types "i32" and "i64" do not match.
--  --> forms/numbers.fut:4:28-32
--   |
-- 4 | def b (xs: []i64) = scaled 2i64 xs
--   |                            ^^^^
--   |
--   = help: "scaled" has the type [n] -> (by: i32) -> (x: [n]i32) -> *[n]i32 because nothing says otherwise; write "def scaled (by: i64)"
--
-- error: Function body does not have expected type.
--        Expected: i32
--        Actual:   i64
--        Types "i32" and "i64" do not match.
--  --> forms/numbers.fut:5:27-61
--   |
-- 5 | def c (xs: []f32) : i32 = let ys = map (+ 1) xs in length ys
--   |                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   |
--   = help: convert with "i32.i64 (length ys)"
--
-- error: Unknown name "s".
--  --> forms/numbers.fut:8:6-7
--   |
-- 8 |   in s + n
--   |      ^ not in scope
--   |
--   = help: no value changes: "let s = 0" names one, and "let s = s + 1" gives the name to another
