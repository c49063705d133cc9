-- Programs whose authors did not think of the layout of memory, one entry point each. `layout.py` compares their times
-- with the time that the bytes which must move take at the speed of a copy.

def number (i: i64) : f32 = f32.i64 ((i * 7919) % 1021) / 1021

entry line (n: i64) : [n]f32 = tabulate n number
entry plane (n: i64) (m: i64) : [n][m]f32 = tabulate_2d n m (\i j -> number (i * m + j))
entry cube (n: i64) : [n][n][n]f32 = tabulate_3d n n n (\i j k -> number ((i * n + j) * n + k))
entry bins (n: i64) (m: i64) : [n][m]i64 = tabulate_2d n m (\i j -> (i * 31 + j * 17) % 64)
entry places (n: i64) (k: i64) : [k]i64 = tabulate k (\i -> (i * 7919) % n)

-- What one thread does with a row.
def decayed [m] (xs: [m]f32) : f32 = loop s = 0 for i < m do s * 0.5 + xs[i]

entry rows [n] [m] (a: [n][m]f32) : [n]f32 = #[sequential_inner] map decayed a
entry columns [n] [m] (a: [n][m]f32) : [m]f32 = map (\j -> decayed a[:, j]) (iota m)
entry rows_of_made [n] [m] (a: [n][m]f32) : ([n][m]f32, [n]f32) =
  let b = map (map (+ 1)) a
  in (b, #[sequential_inner] map decayed b)
entry three_orders [n] (a: [n][n][n]f32) : [n][n][n]f32 =
  tabulate_3d n n n (\i j k -> a[j, k, i] + a[i, j, k] + a[j, i, k])
entry two_orders [n] (a: [n][n][n]f32) : [n][n][n]f32 = tabulate_3d n n n (\i j k -> a[k, j, i] + a[k, i, j])
entry plus_transposed [n] [m] (a: [n][m]f32) (b: [m][n]f32) : [n][m]f32 = map2 (map2 (+)) a (transpose b)
entry column_sums [n] [m] (a: [n][m]f32) : [m]f32 = map f32.sum (transpose a)
entry column_dots [n] [m] (a: [n][m]f32) (b: [m][n]f32) : [m]f32 =
  map2 (\x y -> f32.sum (map2 (*) x y)) (transpose a) b
entry column_scans [n] [m] (a: [n][m]f32) : [m][n]f32 = map (scan (+) 0) (transpose a)
entry vector_sum [n] [m] (a: [n][m]f32) : [m]f32 = reduce (map2 (+)) (replicate m 0) a
entry gathered [n] [k] [d] (xs: [n][d]f32) (is: [k]i64) : [k][d]f32 = map (\i -> xs[i]) is
entry records [n] (xs: [n][3]f32) : [n]f32 = map (\x -> x[0] * x[1] + x[2]) xs
entry doubled_transposed [n] [m] (a: [n][m]f32) : [m][n]f32 = tabulate_2d m n (\j i -> a[i, j] * 2)
entry column_histograms [n] [m] (is: [n][m]i64) : [m][64]i32 =
  map (\is -> hist (+) 0 64 is (map (const 1) is)) (transpose is)
entry columns_in_blocks [n] [m] (a: [n][m]f32) : [m][n]f32 =
  #[flattening(only_intra)] map (\xs -> scan (+) 0 (scan f32.max 0 xs)) (transpose a)
