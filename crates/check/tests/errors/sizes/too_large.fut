-- A size that doubles at each step is unknown in the end, and not an endless expression.
def doubled [n] (xs: [n]i32) =
  let a = concat xs xs
  let a = concat a a
  let a = concat a a
  let a = concat a a
  let a = concat a a
  let a = concat a a
  let a = concat a a
  let a = concat a a
  let a = concat a a
  let b = concat a a
  in concat b b

def named (n: i64) =
  let a = n + n
  let a = a + a
  let a = a + a
  let a = a + a
  let a = a + a
  let a = a + a
  let a = a + a
  let a = a + a
  let a = a + a
  let a = a + a
  let a = a + a
  let b = a + a
  in replicate (b + b) 0i32

def wrong (n: i64) = zip (doubled (replicate n 0)) (named n)
-- ==>
-- error: Cannot apply "zip" to "named n" (invalid type).
--        Expected: [d]i32
--        Actual:   [d1]i32
--        Sizes "d" and "d1" do not match.
--   --> sizes/too_large.fut:30:52-61
--    |
-- 30 | def wrong (n: i64) = zip (doubled (replicate n 0)) (named n)
--    |                          ------------------------- ^^^^^^^^^
--    |                          |                         |
--    |                          |                         "d1"
--    |                          "d"
--    |
--    = note: "d" is an unknown size returned by applying "doubled"
--    = note: "d1" is an unknown size returned by applying "named"
