def f (x: i32): [x]i32 = replicate (i64.i32 x) 0

entry main (n: i32) =
  let ys = f n
  let zs = map2 (+) ys (f n)
  in zs
-- ==>
-- error: Size expression must have type "i64".
--        Expected: i64
--        Actual:   i32
--        Types "i64" and "i32" do not match.
--  --> after/broken_size.fut:1:18-19
--   |
-- 1 | def f (x: i32): [x]i32 = replicate (i64.i32 x) 0
--   |                  ^
