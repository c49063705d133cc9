-- Tuning parameters that the program declares; params.fut.tuning sets one of them.

-- ==
-- entry: main
-- input { 10i64 [1i64, 2i64] } output { 7i64 [101i64, 102i64] }

entry main (x: i64) (ys: []i64) =
  (#[param(width)] x, map (\y -> y + #[param(offset)] (x * x)) ys)
