-- Halves of an array change places. The result must not be made in the memory of the array, of which it has all places.
-- ==
-- entry: halves
-- input { [1i16, 2i16, 3i16, 4i16] } output { [10i16, 11i16, 13i16, 16i16, 0i16, 1i16, 3i16, 6i16] }
-- input { [5i16] } output { [5i16, 0i16] }

entry halves [m] (xs: [m]i16) : [m * 2]i16 =
  let sums = exscan (+) 0 (drop m (replicate m 2 ++ tabulate (m * 2) (\i -> xs[i % m])) :> [m * 2]i16)
  in sums[m * 2 / 2:] ++ sums[:m * 2 / 2] :> [m * 2]i16
