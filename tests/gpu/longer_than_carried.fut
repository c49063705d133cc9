-- Loops of threads whose iterations make a longer array than they hand on.
-- ==
-- entry: first_part
-- input { [3i64, 1i64, 2i64] [1.0, 2.0] 3i64 } output { [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]] }
-- input { [3i64, 4i64] [5.0, 1.5, 2.5, 7.0] 2i64 } output { [[5.0, 1.5, 2.5, 7.0], [5.0, 1.5, 2.5, 7.0]] }
-- input { [3i64] empty([0]f64) 2i64 } output { [empty([0]f64)] }

-- ==
-- entry: last_part
-- input { [3i64, 1i64] [1.0, 2.0] 2i64 } output { [[7.0, 8.0], [3.0, 4.0]] }

entry first_part [n] [m] (ks: [n]i64) (xs: [m]f64) (steps: i64) : [n][m]f64 =
  map (\k -> (loop (ys, i) = (copy xs, 0) while i < steps && k + i > 0 do (take m (ys ++ ys), i + 1)).0) ks

entry last_part [n] [m] (ks: [n]i64) (xs: [m]f64) (steps: i64) : [n][m]f64 =
  map (\k -> loop ys = copy xs for _i < steps do drop m (ys ++ map (+ f64.i64 k) ys) :> [m]f64) ks
