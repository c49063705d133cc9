-- Reductions of segments that have elements in common: a block reduces several.
-- ==
-- entry: distances nearest pairs weighted
-- random input { [0]i32 [7]i32 } auto output
-- random input { [5]i32 [0]i32 } auto output
-- random input { [1]i32 [1]i32 } auto output
-- random input { [7]i32 [300]i32 } auto output
-- random input { [9]i32 [1500]i32 } auto output
-- entry: chosen
-- random input { [3]i32 [5]i32 [400]i32 } auto output
-- random input { [6]i32 [3]i32 [1025]i32 } auto output
-- entry: checked
-- input { [1i64, 2i64, 3i64] [4, 5, 6, 7] } output { [22i64, 26i64, 30i64] }
-- input { [1i64, 4i64] [4, 5, 6, 7] } error: Index \[4\]

def small (x: i32) = i64.i32 (x % 1000)

entry distances [n][m] (a: [n]i32) (b: [m]i32) : [n]i64 =
  #[schedule(segments_together)] map (\x -> i64.sum (map (\y -> let d = small x - small y in d * d) b)) a

-- An operator of several values.
entry nearest [n][m] (a: [n]i32) (b: [m]i32) : ([n]i64, [n]i64) =
  let less (x, i) (y, j) = if x < y || (x == y && i <= j) then (x, i) else (y, j)
  let one x =
    reduce_comm less (i64.highest, i64.highest) (map2 (\y j -> (i64.abs (small x - small y), j)) b (iota m))
  in unzip (#[schedule(segments_together)] map one a)

-- Two dimensions of segments.
entry pairs [n][m] (a: [n]i32) (b: [m]i32) : [n][n]i64 =
  #[schedule(segments_together)]
  map (\x -> map (\y -> i64.sum (map (\z -> (small x - small z) * (small y - small z)) b)) a) a

-- Elements of other arrays at places that are read.
entry weighted [n][m] (a: [n]i32) (b: [m]i32) : [n]i64 =
  let places = map (\y -> small y % m) b
  let weights = map small b
  in #[schedule(segments_together)]
     map (\x -> i64.sum (map (\j -> #[unsafe] weights[i64.abs j] * (small x + j)) places)) a

-- A branch, and elements of one of two arrays.
entry chosen [n][k][m] (a: [n]i32) (c: [k]i32) (b: [m]i32) : [n][k]i64 =
  #[schedule(segments_together)]
  map (\x -> map (\y -> i64.sum (map (\z -> if z % 2 == 0 then small x * small z else small y) b)) c) a

-- A check of the segment.
entry checked [n][m] (at: [n]i64) (b: [m]i32) : [n]i64 =
  #[schedule(segments_together)] map (\i -> i64.sum (map (\y -> i64.i32 y + i64.i32 b[i] - 5) b) + i - i) at
