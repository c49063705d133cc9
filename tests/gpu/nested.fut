-- Nests whose versions differ: outer, in a block, inner; loops and branches between the levels.
-- ==
-- entry: matmul
-- random input { [10][20]i32 [20][30]i32 } auto output
-- random input { [100][3]i32 [3][100]i32 } auto output
-- random input { [1][5000]i32 [5000][1]i32 } auto output

-- ==
-- entry: normalised
-- random input { [100][37]f64 } auto output
-- random input { [5][1000]f64 } auto output

-- ==
-- entry: iterated
-- random input { [20][50]i32 } auto output

-- ==
-- entry: branches
-- random input { [50][40]i32 } auto output

-- ==
-- entry: scanned_scans
-- random input { [30][64]i32 } auto output

-- ==
-- entry: mapped_hist
-- random input { [30][64]i32 } auto output

-- ==
-- entry: deep
-- random input { [7][8][9][10]i32 } auto output

-- ==
-- entry: rotated
-- random input { [13][17]i32 } auto output

-- ==
-- entry: transposed_sums
-- random input { [100][120]i32 } auto output

-- ==
-- entry: while_inside
-- random input { [1000]u32 } auto output

-- ==
-- entry: odd_even
-- random input { [10][64]i32 } auto output

-- Joined parts whose sizes differ from row to row.
-- ==
-- entry: partitioned_rows
-- random input { [7][40]i32 } auto output
-- random input { [5][0]i32 } auto output

entry matmul [n][m][p] (a: [n][m]i32) (b: [m][p]i32) =
  map (\r -> map (\c -> reduce (+) 0 (map2 (*) r c)) (transpose b)) a

entry normalised [n][m] (xss: [n][m]f64) =
  map (\xs ->
         let top = reduce f64.max (-f64.inf) xs
         let es = map (\x -> x - top) xs
         let s = f64.sum (map (\e -> e * 0.5) es)
         in map (\e -> f64.round (e * 1000) / 1000 + (if s > 0 then 1 else 0)) es) xss

entry iterated [n][m] (xss: [n][m]i32) =
  map (\xs -> loop xs for i < 10 do scan (+) 0 (map (+ i) xs)) xss

entry branches [n][m] (xss: [n][m]i32) =
  map (\xs -> if xs[0] > 0 then map (* 2) xs else scan (+) 0 xs) xss

entry scanned_scans [n][m] (xss: [n][m]i32) =
  map (\xs -> let ys = scan (+) 0 xs
              let zs = scan i32.max i32.lowest (map (^ 5) ys)
              in (reduce (+) 0 zs, ys)) xss |> unzip

entry mapped_hist [n][m] (xss: [n][m]i32) =
  map (\xs -> reduce_by_index (replicate 16 0) (+) 0 (map (\x -> i64.i32 x & 15) xs) xs) xss

entry deep (xs: [][][][]i32) = map (map (map i32.sum)) xs |> map (map i32.maximum)
entry rotated (xss: [][]i32) = map (rotate 3) (rotate 2 xss)
entry transposed_sums [n][m] (xss: [n][m]i32) = map i32.sum (transpose xss)

entry while_inside (xs: []u32) =
  map (\x -> (.1) (loop (x, n) = (x % 10000 + 1, 0i32) while x != 1 do
                     if x % 2 == 0 then (x / 2, n + 1) else (3 * x + 1, n + 1))) xs

entry odd_even [n][m] (xss: [n][m]i32) =
  map (\(xs: [m]i32) -> loop xs = copy xs for i < m do
         let at j = if (j + i) % 2 == 0
                    then (if j + 1 < m then i32.min xs[j] xs[j + 1] else xs[j])
                    else (if j > 0 then i32.max xs[j - 1] xs[j] else xs[j])
         in tabulate m at) xss

entry partitioned_rows [n][m] (xss: [n][m]i32) : [n][m]i32 =
  map (\xs -> let (a, b) = partition (> 0) xs in concat a b :> [m]i32) xss

-- Writes at computed places in a thread block, after the array was filled and before it is read.
-- ==
-- entry: placed_in_block
-- input { [[1, 2, 3, 4, 5, 6, 7, 8, 9]] } output { [[0, 1, 3, 6, 10, 15, 21, 28, 36]] }

entry placed_in_block [n] [m] (xss: [n][m]i32) =
  #[incremental_flattening(only_intra)]
  map (\xs -> scan (+) 0 (scatter (replicate m 0) (map i64.i32 xs) xs)) xss
