-- The dot product of two vectors: a map, then a reduction.
--
--   echo '[1.0, 2.0] [3.0, 4.0]' | fehu run dot.fut
--
-- The blocks below are run by `fehu test dot.fut`; `fehu bench dot.fut` measures the large one.
-- ==
-- input { [1.0, 2.0] [3.0, 4.0] } output { 11.0 }
-- input { empty([0]f64) empty([0]f64) } output { 0.0 }
-- random input { [1000000]f64 [1000000]f64 }

entry main [n] (xs: [n]f64) (ys: [n]f64) : f64 =
  reduce (+) 0 (map2 (*) xs ys)
