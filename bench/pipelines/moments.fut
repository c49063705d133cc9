-- Mean, variance and range of an array.
-- ==
-- entry: composed fused
-- input { [1f64, 2f64, 3f64, 6f64] } output { 3f64 3.5f64 1f64 6f64 }
-- "large" random input { [2000000]f64 }

entry composed [n] (xs: [n]f64) : (f64, f64, f64, f64) =
  let mean = f64.sum xs / f64.i64 n
  let squares = f64.sum (map (\x -> x * x) xs) / f64.i64 n
  in (mean, squares - mean * mean, f64.minimum xs, f64.maximum xs)

entry fused [n] (xs: [n]f64) : (f64, f64, f64, f64) =
  let (s, q, a, b) =
    loop (s, q, a, b) = (0, 0, f64.inf, -f64.inf) for x in xs do (s + x, q + x * x, f64.min a x, f64.max b x)
  let mean = s / f64.i64 n
  in (mean, q / f64.i64 n - mean * mean, a, b)
