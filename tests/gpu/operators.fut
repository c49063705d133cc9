-- Operators on arrays: maps, loops that are maps, tuples of maps, few numbers, and others.
-- ==
-- entry: sums scans made scans_made loops planes pairs tuples swapped given given_scan firsts first_scans nested nested_scans many_operators
-- random input { [0][5]i32 } auto output
-- random input { [5][0]i32 } auto output
-- random input { [1][1]i32 } auto output
-- random input { [1000][1]i32 } auto output
-- random input { [1][1000]i32 } auto output
-- random input { [37][65]i32 } auto output
-- random input { [2053][7]i32 } auto output

-- ==
-- entry: sums made given
-- random input { [1050001][1]i32 } auto output
-- random input { [10901][97]i32 } auto output

-- ==
-- entry: powers power matrices transforms
-- random input { [0]i32 } auto output
-- random input { [1]i32 } auto output
-- random input { [1001]i32 } auto output

-- ==
-- entry: products product_scans
-- random input { 0i64 [9]i32 } auto output
-- random input { 3i64 [0]i32 } auto output
-- random input { 3i64 [1]i32 } auto output
-- random input { 1i64 [100]i32 } auto output
-- random input { 5i64 [77]i32 } auto output

entry sums [n][m] (xss: [n][m]i32) = reduce (map2 (+)) (replicate m 0) xss
entry scans [n][m] (xss: [n][m]i32) = scan (map2 i32.max) (replicate m i32.lowest) xss

-- The rows are made by a map.
entry made [n][m] (xss: [n][m]i32) =
  reduce (map2 (+)) (replicate m 0) (map (\xs -> let s = 3 * i32.i64 m in map (\x -> x * s + 1) xs) xss)
entry scans_made [n][m] (xss: [n][m]i32) = scan (map2 (+)) (replicate m 0) (map (scan (+) 0) xss)

-- Operators written as loops.
def add [m] (xs: [m]i32) (ys: [m]i32) : [m]i32 = loop r = replicate m 0 for i < m do r with [i] = xs[i] + ys[i]
def larger [m] (xs: [m]i32) (ys: [m]i32) : [m]i32 =
  loop r = copy xs for i < m do if r[i] < ys[i] then r with [i] = ys[i] else r
def add_planes [m][k] (xss: [m][k]i32) (yss: [m][k]i32) : [m][k]i32 =
  loop r = replicate m (replicate k 0) for i < m do loop r for j < k do r with [i, j] = xss[i, j] + yss[i, j]
entry loops [n][m] (xss: [n][m]i32) = (reduce add (replicate m 0) xss, scan larger (replicate m i32.lowest) xss)
entry planes [n][m] (xss: [n][m]i32) : ([2][m]i32, [n][2][m]i32) =
  let xsss = map (\xs -> [xs, map (* 2) xs]) xss
  in (reduce add_planes (replicate 2 (replicate m 0)) xsss, scan add_planes (replicate 2 (replicate m 0)) xsss)

-- Components that have nothing to do with each other, and some that do.
entry pairs [n][m] (xss: [n][m]i32) : ([m]i32, i64, [2]i32) =
  reduce (\(a, i, u) (b, j, v) -> (map2 (+) a b, i64.max i j, map2 i32.min u v)) (replicate m 0, 0, replicate 2 i32.highest)
         (zip3 xss (iota n) (map (\xs -> let s = i32.sum xs in [s, -s]) xss))
entry tuples [n][m] (xss: [n][m]i32) : ([m]i32, [m]i64) =
  reduce (map2 (\(a, i) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j))) (replicate m (i32.lowest, i64.highest))
         (map2 (\xs i -> map (\x -> (x, i)) xs) xss (iota n)) |> unzip
entry swapped [n][m] (xss: [n][m]i32) = reduce_comm (\xs ys -> map2 (\y x -> x ^ y) ys xs) (replicate m 0) xss

-- A neutral element that is not of one value (and no neutral element).
entry given [n][m] (xss: [n][m]i32) = reduce (map2 (+)) (map i32.i64 (iota m)) xss
entry given_scan [n][m] (xss: [n][m]i32) = scan (map2 (+)) (map i32.i64 (iota m)) xss

-- Operators that are no maps.
def first [m] (xs: [m]i32) (ys: [m]i32) : [m]i32 = if any (\x -> x %% 3 == 1) xs then xs else ys
entry firsts [n][m] (xss: [n][m]i32) = reduce first (replicate m 0) xss
entry first_scans [n][m] (xss: [n][m]i32) = scan first (replicate m 0) xss

-- Under a map.
entry nested [n][m] (xss: [n][m]i32) : ([5][m]i32, [5][m]i32) =
  map (\k -> let yss = map (map (\x -> (x ^ i32.i64 k) %% 100)) xss
             in (reduce (map2 (+)) (replicate m 0) yss, reduce first (replicate m 0) yss)) (iota 5) |> unzip
entry nested_scans [n][m] (xss: [n][m]i32) : ([3][n][m]i32, [3][n][m]i32) =
  map (\k -> let yss = map (map (\x -> (x ^ i32.i64 k) %% 100)) xss
             in (scan (map2 (+)) (replicate m 0) yss, scan first (replicate m 0) yss)) (iota 3) |> unzip

-- Several reductions and scans of the same rows, with a result that is kept.
entry many_operators [n][m] (xss: [n][m]i32) =
  let yss = map (map (% 17)) xss
  in (reduce (map2 (+)) (replicate m 0) yss, reduce (map2 i32.max) (replicate m i32.lowest) yss, scan (map2 (+)) (replicate m 0) yss, yss)

-- Few numbers.
def mul (a: [2][2]i32) (b: [2][2]i32) : [2][2]i32 = map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
entry power [n] (xs: [n]i32) = reduce mul [[1, 0], [0, 1]] (map (\x -> [[x, 1], [1, 0]]) xs)
entry powers [n] (xs: [n]i32) = scan mul [[1, 0], [0, 1]] (map (\x -> [[x, 1], [1, 0]]) xs)
entry matrices [n] (xs: [n]i32) = map (\k -> scan mul [[1, 0], [0, 1]] (map (\x -> [[x + k, 1], [1, 0]]) xs)) [1, 2, 3]
entry transforms [n] (xs: [n]i32) : ([n][3]i32, [n]i32) =
  scan (\(a, c) (b, d) -> (map2 (\x y -> x + y + c * d) a b, c + d)) ([0, 0, 0], 0) (map (\x -> ([x, x + 1, 2], 0)) xs) |> unzip

-- Matrices of any size.
def product [k] (a: [k][k]i32) (b: [k][k]i32) : [k][k]i32 = map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
def unit (k: i64) = tabulate_2d k k (\i j -> i32.bool (i == j))
def some_matrix (k: i64) (x: i32) = tabulate_2d k k (\i j -> x + i32.i64 (i * 3 + j))
entry products (k: i64) (xs: []i32) = reduce product (unit k) (map (some_matrix k) xs)
entry product_scans (k: i64) (xs: []i32) = scan product (unit k) (map (some_matrix k) xs)
