-- Plans that are asked for run wherever they can, at sizes that they were never meant for.
-- ==
-- entry: threads lanes packed blocks lasts_by_threads lasts_by_lanes lasts_packed lasts_by_blocks
-- random input { [0][5]i32 } auto output
-- random input { [5][0]i32 } auto output
-- random input { [1][1]i32 } auto output
-- random input { [3][1000]i32 } auto output
-- random input { [1000][3]i32 } auto output
-- random input { [33][257]i32 } auto output
-- random input { [2][70001]i32 } auto output

entry threads [n][m] (xss: [n][m]i32) = map (\xs -> #[schedule(thread_per_segment)] reduce (+) 0 xs) xss
entry lanes [n][m] (xss: [n][m]i32) = #[schedule(lanes_per_segment)] map i32.sum xss
entry packed [n][m] (xss: [n][m]i32) = #[schedule(segments_per_block)] map i32.sum xss
entry blocks [n][m] (xss: [n][m]i32) = #[schedule(blocks_per_segment)] map i32.sum xss

-- Not commutative: the last that is not zero.
def last_of (xs: []i32) = reduce (\a b -> if b == 0 then a else b) 0 (map (% 3) xs)
entry lasts_by_threads [n][m] (xss: [n][m]i32) = #[schedule(thread_per_segment)] map last_of xss
entry lasts_by_lanes [n][m] (xss: [n][m]i32) = #[schedule(lanes_per_segment)] map last_of xss
entry lasts_packed [n][m] (xss: [n][m]i32) = #[schedule(segments_per_block)] map last_of xss
entry lasts_by_blocks [n][m] (xss: [n][m]i32) = #[schedule(blocks_per_segment)] map last_of xss

-- Maps: tiles of points that are hardly there, columns of rows that are none.
-- ==
-- entry: product_tiled product_flat stencil_column stencil_flat
-- random input { [0][5]i32 } auto output
-- random input { [5][0]i32 } auto output
-- random input { [1][1]i32 } auto output
-- random input { [3][200]i32 } auto output
-- random input { [70][3]i32 } auto output
-- random input { [65][129]i32 } auto output

entry product_tiled [n][m] (xss: [n][m]i32) =
  #[schedule(tiled)] map (\xs -> map (\ys -> i32.sum (map2 (*) xs ys)) xss) xss
entry product_flat [n][m] (xss: [n][m]i32) =
  #[schedule(flat)] map (\xs -> map (\ys -> i32.sum (map2 (*) xs ys)) xss) xss
entry stencil_column [n][m] (xss: [n][m]i32) =
  #[schedule(column)] tabulate_2d n m (\i j -> xss[i, j] + xss[i64.max 0 (i - 1), j] * 2)
entry stencil_flat [n][m] (xss: [n][m]i32) =
  #[schedule(flat)] tabulate_2d n m (\i j -> xss[i, j] + xss[i64.max 0 (i - 1), j] * 2)

-- Strips of segments that are hardly there.
-- ==
-- entry: sums_in_strips counts_in_strips
-- random input { [0][5]i32 } auto output
-- random input { [5][0]i32 } auto output
-- random input { [1][1]i32 } auto output
-- random input { [3][200]i32 } auto output
-- random input { [70][3]i32 } auto output
-- random input { [1025][33]i32 } auto output

entry sums_in_strips [n][m] (xss: [n][m]i32) = #[schedule(strips)] map (scan (+) 0) (transpose xss)
entry counts_in_strips [n][m] (xss: [n][m]i32) =
  #[schedule(histogram_strips)] map (\xs -> hist (+) 0 20 (map (i64.i32 <-< (% 30)) xs) xs) (transpose xss)

-- Histograms: more bins than points, in shared memory or not, by instructions, swaps and locks.
-- ==
-- entry: counts_shared counts_global products_shared pairs_shared rows_shared
-- input { 0i64 10i64 } auto output
-- input { 1i64 1i64 } auto output
-- input { 1000i64 7i64 } auto output
-- input { 3i64 5000i64 } auto output
-- input { 2000i64 9000i64 } auto output

def index (k: i64) (i: i64) = (i * 7919) % k
entry counts_shared (n: i64) (k: i64) =
  #[schedule(sub_histograms)] hist (+) 0i32 k (map (index k) (iota n)) (map i32.i64 (iota n))
entry counts_global (n: i64) (k: i64) =
  #[schedule(global_updates)] hist (+) 0i32 k (map (index k) (iota n)) (map i32.i64 (iota n))
entry products_shared (n: i64) (k: i64) =
  #[schedule(sub_histograms)] hist (*) 1i16 k (map (index k) (iota n)) (map (\i -> i16.i64 i * 2 + 1) (iota n))
entry pairs_shared (n: i64) (k: i64) =
  #[schedule(sub_histograms)]
  hist (\(a, i) (b, j) -> if a < b || (a == b && i < j) then (b, j) else (a, i))
       (0i32, -1i64) k (map (index k) (iota n)) (zip (map (\i -> i32.i64 (i * 31 % 17)) (iota n)) (iota n))
  |> unzip
entry rows_shared (n: i64) (k: i64) =
  #[schedule(sub_histograms)]
  map (\r -> hist (+) 0i32 k (map (\i -> index k (i + r)) (iota n)) (map i32.i64 (iota n))) (iota 3)
