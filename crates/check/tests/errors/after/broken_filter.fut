def marks (n: i64) =
  let is = filter (\i -> i % 2 == 0) (iota n)
  in scatter (replicate n 1i64) is (replicate (length is) 0i64)

entry listed (n: i64) : []i64 = marks n

entry counted (n: i64) : i64 = length (marks n)
-- ==>
-- error: Cannot apply "scatter" to "replicate (length is) 0" (invalid type).
--        Expected: [m]i64
--        Actual:   [length is]i64
--        Sizes "m" and "length is" do not match.
--  --> after/broken_filter.fut:3:36-64
--   |
-- 3 |   in scatter (replicate n 1i64) is (replicate (length is) 0i64)
--   |                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   |
--   = note: "m" is an unknown size returned by applying "filter"
