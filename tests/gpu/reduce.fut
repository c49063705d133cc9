-- Reductions: one segment and many, small and large, commutative and not, of one value and several.
-- ==
-- entry: total
-- input { empty([0]i32) } auto output
-- random input { [1]i32 } auto output
-- random input { [1000]i32 } auto output
-- random input { [300001]i32 } auto output

-- ==
-- entry: total_i8
-- random input { [300001]i8 } auto output

-- ==
-- entry: last_of_pairs
-- input { empty([0]i32) } auto output
-- random input { [100]i32 } auto output
-- random input { [300001]i32 } auto output

-- ==
-- entry: min_max_count
-- random input { [300001]i32 } auto output

-- ==
-- entry: all_positive
-- random input { [300001]i32 } auto output

-- ==
-- entry: with_memory
-- input { 0i64 7i64 } output { 1i64 }
-- input { 3i64 7i64 } output { 80i64 }
-- input { 3000i64 7i64 } auto output

-- ==
-- entry: in_order_with_memory
-- input { 0i64 7i64 } auto output
-- input { 9i64 7i64 } auto output
-- input { 3000i64 7i64 } auto output

-- ==
-- entry: rows_with_memory
-- input { 3i64 0i64 7i64 } output { [1i64, 1i64, 1i64] }
-- input { 3i64 3i64 7i64 } output { [36i64, 80i64, 150i64] }

-- ==
-- entry: row_sums
-- random input { [100][0]i32 } auto output
-- random input { [0][100]i32 } auto output
-- random input { [1000][1]i32 } auto output
-- random input { [1000][7]i32 } auto output
-- random input { [333][128]i32 } auto output
-- random input { [100][1000]i32 } auto output
-- random input { [2][100000]i32 } auto output

-- ==
-- entry: row_matrix_products
-- random input { [100][5][4]i32 } auto output
-- random input { [3][10000][4]i32 } auto output

-- ==
-- entry: plane_sums
-- random input { [10][20][30]i32 } auto output

-- ==
-- entry: with_intermediate
-- random input { [10000]i32 } auto output

-- ==
-- entry: vectors
-- random input { [1000][10]i32 } auto output

entry total (xs: []i32) = reduce (+) 0 xs
entry total_i8 (xs: []i8) = reduce (+) 0 xs

-- Not commutative: composition of linear functions.
def compose (a: i32, b: i32) (c: i32, d: i32) = (a * c, b * c + d)
entry last_of_pairs (xs: []i32) = reduce compose (1, 0) (map (\x -> (x | 1, x >> 3)) xs)

entry min_max_count (xs: []i32) =
  reduce (\(a, b, c) (d, e, f) -> (i32.min a d, i32.max b e, c + f)) (i32.highest, i32.lowest, 0i64)
         (map (\x -> (x, x, 1)) xs)

entry all_positive (xs: []i32) = all (> i32.lowest) xs
entry row_sums (xss: [][]i32) = map (reduce (+) 0) xss

-- 2x2 matrices as four values.
def mul2 (a: i32, b: i32, c: i32, d: i32) (e, f, g, h) =
  (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
entry row_matrix_products (xsss: [][][4]i32) =
  map (\xss -> reduce mul2 (1, 0, 0, 1) (map (\x -> (x[0], x[1], x[2], x[3])) xss)) xsss |> unzip4

entry plane_sums (xsss: [][][]i32) = map (map i32.sum) xsss

entry with_intermediate [n] (xs: [n]i32) =
  let ys = map (\x -> x * x) xs
  in (ys, reduce (+) 0 ys)

-- An operator on arrays that is a map in itself.
entry vectors [n][m] (xss: [n][m]i32) = reduce (map2 (+)) (replicate m 0) xss

-- Threads that need memory run in a grid of fixed size, which is empty if there are no points; segments have results then too.
def in_memory (n: i64) (k: i64) : i64 =
  let xs = loop xs = replicate (k + 1) 1i64 for i < k do copy (xs with [i + 1] = xs[i / 2] + i)
  in xs[k / 2] + n

entry with_memory (n: i64) (k: i64) : i64 = i64.product (tabulate n (\i -> in_memory (i % 2) k + 1))

entry in_order_with_memory (n: i64) (k: i64) : (i64, i64) =
  reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (tabulate n (\i -> (in_memory (i % 5) k | 1, i)))

entry rows_with_memory (m: i64) (n: i64) (k: i64) : [m]i64 =
  tabulate m (\j -> i64.product (tabulate n (\i -> in_memory (i % 2) k + j)))
