def main (xs: []i32) =
  zip (filter (> 0) xs) (filter (< 0) xs)
-- ==>
-- error: Cannot apply "zip" to "filter (\y -> y < 0i32) xs" (invalid type).
--        Expected: [m]i32
--        Actual:   [m1]i32
--        Sizes "m" and "m1" do not match.
--  --> sizes/unknown_sizes_differ.fut:2:25-42
--   |
-- 2 |   zip (filter (> 0) xs) (filter (< 0) xs)
--   |       ----------------- ^^^^^^^^^^^^^^^^^
--   |       |                 |
--   |       |                 "m1"
--   |       "m"
--   |
--   = note: "m" is an unknown size returned by applying "filter"
--   = note: "m1" is an unknown size returned by applying "filter"
