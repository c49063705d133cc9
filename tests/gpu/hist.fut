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
-- random input { 7i64 [500001]i8 } auto output
-- random input { 120i64 [100001]i8 } auto output

-- ==
-- entry: narrow
-- random input { 1000i64 [70001]u16 } auto output
-- random input { 1000i64 [3001]u16 } auto output
-- random input { 90000i64 [70001]u16 } auto output

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

-- ==
-- entry: halves shorts flags pairs_of matrices_by firsts rows_of_tuples into mixed
-- random input { 1i64 [0]i32 } auto output
-- random input { 0i64 [100]i32 } auto output
-- random input { 1i64 [1]i32 } auto output
-- random input { 7i64 [5001]i32 } auto output
-- random input { 1000i64 [20001]i32 } auto output
-- random input { 30000i64 [130001]i32 } auto output
-- random input { 1000000i64 [1001]i32 } auto output

-- ==
-- entry: per_row_of_all
-- random input { 3i64 [0][10]i32 } auto output
-- random input { 3i64 [10][0]i32 } auto output
-- random input { 0i64 [10][3]i32 } auto output
-- random input { 1i64 [1001][13]i32 } auto output
-- random input { 7i64 [333][97]i32 } auto output
-- random input { 100i64 [3][20001]i32 } auto output

-- ==
-- entry: leaders leaders_in_rows
-- random input { 3i64 [0][4]i32 } auto output
-- random input { 0i64 [9][4]i32 } auto output
-- random input { 5i64 [100][0]i32 } auto output
-- random input { 1i64 [100][3]i32 } auto output
-- random input { 77i64 [1001][3]i32 } auto output
-- random input { 5000i64 [1001][2]i32 } auto output

-- ==
-- entry: looked_up
-- random input { [7]i64 [0][5]i64 } auto output
-- random input { [1]i64 [3][0]i64 } auto output
-- random input { [7]i64 [50][300]i64 } auto output
-- random input { [100]i64 [3][5001]i64 } auto output
-- input { empty([0]i64) [[1i64]] } error: out of bounds

-- ==
-- entry: pairs_in_rows
-- random input { [7][61]i32 } auto output

def bin (k: i64) (x: i32) = i64.i32 x % (k + 1)

entry counts (k: i64) (xs: []i32) = hist (+) 0 k (map (bin k) xs) (map (const 1i32) xs)
entry products (k: i64) (xs: []i32) = hist (*) 1 k (map (bin k) xs) (map (| 1) xs)
entry best (k: i64) (xs: []i32) =
  hist (\(a: i32, i: i64) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j)) (i32.lowest, i64.highest) k
       (map (bin k) xs) (zip xs (indices xs)) |> unzip
entry bytes (k: i64) (xs: []i8) = hist (+) 0 k (map (\x -> i64.i8 x % (k + 1)) xs) xs
-- Of 70,000 values on, by words of 32 bits.
entry narrow (k: i64) (xs: []u16) =
  let bins = map (\x -> i64.u16 x % (k + 1)) xs
  let onto = reduce_by_index (map u8.i64 (iota k)) u8.max 0 bins (map u8.u16 xs)
  in (hist (+) 0 k bins xs, onto, hist (^) 0 k bins (map i16.u16 xs), hist (||) false k bins (map (> 65000) xs))

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

-- ==
-- entry: few_halves shorts flags pairs_of matrices_by firsts rows_of_tuples into mixed
-- random input { 7i64 [500001]i32 } auto output

-- Parts of words, tuples, and other operators that need more than one instruction. Sums of halves are exact up to 2048.
entry few_halves (k: i64) (xs: []i32) = hist (+) 0 k (map (bin k) xs) (map (\x -> f16.bool (x % 1021 == 0)) xs)
entry halves (k: i64) (xs: []i32) = hist (+) 0 k (map (bin k) xs) (map (\x -> f16.i32 (x % 3)) xs)
entry shorts (k: i64) (xs: []i32) = hist i16.max i16.lowest k (map (bin k) xs) (map i16.i32 xs)
entry flags (k: i64) (xs: []i32) = hist (!=) false k (map (bin k) xs) (map (\x -> x % 3 == 0) xs)
entry pairs_of (k: i64) (xs: []i32) : ([]i8, []i64) =
  hist (\(a: i8, i: i64) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j)) (i8.lowest, i64.highest) k
       (map (bin k) xs) (zip (map i8.i32 xs) (indices xs)) |> unzip
entry matrices_by (k: i64) (xs: []i32) : ([]i32, []i32) =
  hist (\((a, b), (c, d)) ((e, f), (g, h)) -> ((a * e + b * g, a * f + b * h), (c * e + d * g, c * f + d * h))) ((1, 0), (0, 1)) k
       (map (bin k) xs) (map (\x -> ((x, 0), (0, x + 1))) xs) |> map (\((a, _), (_, d)) -> (a, d)) |> unzip
entry firsts (k: i64) (xs: []i32) =
  hist (\a b -> if a == 0 then b else if b == 0 then a else i32.min a b) 0 k (map (bin k) xs) (map (% 5) xs)
entry rows_of_tuples (k: i64) (xs: []i32) : ([][3]i32, [][3]i16) =
  hist (map2 (\(a, x) (b, y) -> (a + b, x * y))) (replicate 3 (0, 1)) k (map (bin k) xs)
       (map (\x -> tabulate 3 (\i -> (x + i32.i64 i, i16.i32 x | 1))) xs) |> map unzip |> unzip
entry into (k: i64) (xs: []i32) =
  reduce_by_index (tabulate k (\i -> i8.i64 i)) (+) 0 (map (bin k) xs) (map i8.i32 xs)
entry mixed (k: i64) (xs: []i32) =
  let is = map (bin k) xs
  in (hist (+) 0 k is xs, hist (*) 1 k is (map i8.i32 xs), hist i64.max 0 k is (map i64.i32 xs))

-- In segments.
entry per_row_of_all (k: i64) (xss: [][]i32) =
  map (\xs -> let is = map (bin k) xs
              in (hist (+) 0 k is xs,
                  hist i16.max 0 k is (map i16.i32 xs),
                  hist (\(a: i32, i: i64) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j)) (i32.lowest, i64.highest) k
                       is (zip xs (indices xs)) |> map (\(x, i) -> i64.i32 x + i))) xss |> unzip3
-- With an index that is checked.
entry looked_up [t] (table: [t]i64) (iss: [][]i64) =
  map (\is -> hist (+) 0i64 10 (map (\i -> table[i64.abs i % 100 % i64.max 1 t] % 11) is) is) iss
entry pairs_in_rows [r][n] (xss: [r][n]i32) =
  map (\xs -> hist (+) 0i32 60 (flatten (map (\x -> map (\y -> i64.i32 ((x ^ y) %% 61)) xs) xs)) (replicate (n * n) 1)) xss

-- Rows with an operator that is no map.
def leader [m] (xs: [m]i32) (ys: [m]i32) : [m]i32 =
  if m == 0 || xs[0] > ys[0] || (xs[0] == ys[0] && i32.sum xs >= i32.sum ys) then xs else ys
entry leaders [n][m] (k: i64) (xss: [n][m]i32) =
  reduce_by_index (replicate k (replicate m (-1000))) leader (replicate m i32.lowest)
                  (map (\i -> (i * 7) % (k + 1)) (iota n)) (map (map (% 100)) xss)
entry leaders_in_rows [n][m] (k: i64) (xss: [n][m]i32) =
  map (\q -> reduce_by_index (replicate k (replicate m (-1000))) leader (replicate m i32.lowest)
                             (map (\i -> (i * q) % (k + 1)) (iota n)) (map (map (% 100)) xss)) [1, 2, 3]
