-- Operations inside of regular nests, whose sizes are elements of what the nest is over: in an inner lambda's parameter,
-- or read by both numbers.
-- ==
-- entry: sums
-- input { [[3i64, 0i64, 1i64], [5i64, 2i64, 12i64]] } output { [[12i64, 0i64, 1i64], [55i64, 4i64, 804i64]] }

-- ==
-- entry: of_rows
-- input { [[3i64, 0i64, 1i64], [5i64, 2i64, 12i64]] } output { [3i64, 77i64] }

-- ==
-- entry: indexed
-- input { [[3i64, 0i64, 1i64], [5i64, 2i64, 12i64]] } output { [[3i64, 0i64, 0i64], [15i64, 3i64, 78i64]] }

-- ==
-- entry: parts
-- input { [1f32, 2f32, 4f32, 8f32, 16f32] [[0i64, 1i64], [2i64, 3i64]] [[2i64, 3i64], [0i64, 2i64]] }
-- output { [[3f32, 14f32], [0f32, 24f32]] }

entry sums [n] [m] (kss: [n][m]i64) : [n][m]i64 =
  map (map (\k -> i64.sum (map (\j -> j * k + 1) (iota k)))) kss

entry of_rows [n] [m] (kss: [n][m]i64) : [n]i64 =
  map (\ks -> i64.sum (map (\k -> let zs = scan (+) 0 (iota k) in if k > 0 then zs[k - 1] else 0) ks)) kss

entry indexed [n] [m] (kss: [n][m]i64) : [n][m]i64 =
  tabulate_2d n m (\i j -> i64.sum (map (\x -> x + i) (iota kss[i, j])))

entry parts [n] [m] [l] (xs: [l]f32) (starts: [n][m]i64) (lens: [n][m]i64) : [n][m]f32 =
  map2 (map2 (\s k -> f32.sum xs[s:s + k])) starts lens
