-- Histograms: in shared memory and not, by instructions, by trying again, by locks.
-- ==
-- entry: counts
-- input { 10i64 empty([0]i32) } auto output
-- random input { 1i64 [1000]i32 } auto output
-- input { 0i64 [1, 2, 3] } auto output
-- random input { 200i64 [100001]i32 } auto output
-- random input { 100000i64 [100001]i32 } auto output

-- ==
-- entry: products
-- random input { 100i64 [10001]i32 } auto output
-- random input { 100000i64 [100001]i32 } auto output

-- ==
-- entry: best
-- random input { 100i64 [10001]i32 } auto output

-- ==
-- entry: bytes
-- random input { 100i64 [10001]i8 } auto output

-- ==
-- entry: highest
-- random input { 100i64 [10001]f32 } auto output

-- ==
-- entry: per_row
-- random input { 10i64 [50][300]i32 } auto output

-- ==
-- entry: two_dims
-- random input { [10001]i32 } auto output

-- ==
-- entry: scattered
-- random input { [1000]i32 [5000]i32 } auto output

-- ==
-- entry: rows_scattered
-- random input { [100][7]i32 } auto output

-- ==
-- entry: vectors
-- random input { 10i64 [1000][3]i32 } auto output

def bin (k: i64) (x: i32) = i64.i32 x % (k + 1)

entry counts (k: i64) (xs: []i32) = hist (+) 0 k (map (bin k) xs) (map (const 1i32) xs)
entry products (k: i64) (xs: []i32) = hist (*) 1 k (map (bin k) xs) (map (| 1) xs)
entry best (k: i64) (xs: []i32) =
  hist (\(a: i32, i: i64) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j)) (i32.lowest, i64.highest) k
       (map (bin k) xs) (zip xs (indices xs)) |> unzip
entry bytes (k: i64) (xs: []i8) = hist (+) 0 k (map (\x -> i64.i8 x % (k + 1)) xs) xs
entry highest (k: i64) (xs: []f32) = hist f32.max (-f32.inf) k (map (\i -> i % k) (indices xs)) xs
entry per_row (k: i64) (xss: [][]i32) = map (\xs -> hist (+) 0 k (map (bin k) xs) xs) xss
entry two_dims (xs: []i32) =
  reduce_by_index_2d (replicate 10 (replicate 20 0)) (+) 0 (map (\x -> (i64.i32 x % 11, i64.i32 (x >> 4) % 21)) xs) xs
entry scattered [n] (dest: [n]i32) (xs: []i32) =
  scatter (copy dest) (map (\i -> (i * 7) % 1013) (indices xs)) (map (\i -> i32.i64 ((i * 7) % 1013)) (indices xs))
entry rows_scattered [n][m] (xss: [n][m]i32) =
  scatter (replicate (n * 2) (replicate m 0)) (map (\i -> i * 2 % (n * 2 + 1)) (iota n)) (map (map (+ 1)) xss)
entry vectors (k: i64) (xss: [][3]i32) =
  hist (map2 (+)) [0, 0, 0] k (map (\i -> (i * 5) % (k + 1)) (indices xss)) xss
