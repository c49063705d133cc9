-- Loops of a thread over rows that hand rows on: a scan of rows and the maps that follow it are one loop, and so are the loops over their elements.
-- ==
-- entry: prices
-- random input { [50][1][1]f32 [50][1]f32 } auto output
-- random input { [50][7][3]f32 [50][3]f32 } auto output
-- random input { [3][0][3]f32 [3][3]f32 } auto output
-- random input { [3][5][0]f32 [3][0]f32 } auto output

-- ==
-- entry: matrices
-- random input { [20][6][2][3]i32 } auto output

-- ==
-- entry: both_kept
-- random input { [30][9][4]i32 } auto output

-- ==
-- entry: rows_before
-- random input { [30][9][4]i32 } auto output
-- random input { [30][1][4]i32 } auto output

-- ==
-- entry: overwritten
-- random input { [30][9][4]i32 } auto output

def products [n] [m] (xss: [n][m]f32) : [n][m]f32 = scan (map2 (*)) (replicate m 1) xss

entry prices [k] [n] [m] (xsss: [k][n][m]f32) (starts: [k][m]f32) : [k][n]f32 =
  #[sequential_inner]
  map2 (\xss start ->
          let yss = products (map (map (\x -> f32.exp (x - 0.5))) xss)
          let zss = map (map2 (*) start) yss
          in map f32.sum zss)
       xsss starts

-- A scan of matrices.
entry matrices [k] [n] [a] [b] (xs: [k][n][a][b]i32) : [k][n][a][b]i32 =
  #[sequential_inner]
  map (\ms ->
         let sums = scan (map2 (map2 (+))) (replicate a (replicate b 0)) ms
         in map (map (map (\x -> x * 3 + 1))) sums)
      xs

-- The scan is needed afterwards.
entry both_kept [k] [n] [m] (xs: [k][n][m]i32) : ([k][n][m]i32, [k][n][m]i32) =
  #[sequential_inner]
  unzip (map (\rows ->
                let sums = scan (map2 (+)) (replicate m 0) rows
                in (sums, map (map (^ 5)) sums))
             xs)

-- Rows of other iterations.
entry rows_before [k] [n] [m] (xs: [k][n][m]i32) : [k][n][m]i32 =
  #[sequential_inner]
  map (\rows ->
         let sums = scan (map2 (+)) (replicate m 0) rows
         in tabulate n (\i ->
              let before = if i == 0 then replicate m 7 else copy sums[i - 1]
              in map3 (\b s f -> b * s + f) before sums[i] sums[0]))
      xs

-- A row is changed after it has been copied.
entry overwritten [k] [n] [m] (xs: [k][n][m]i32) : [k][n][m]i32 =
  #[sequential_inner]
  map (\rows ->
         let (kept, _) =
           loop (kept, row: *[m]i32) = (replicate n (replicate m 0), replicate m 1)
           for i < n do
             let next = map2 (\x y -> x * 3 + y) row rows[i]
             let kept[i] = next
             let changed = copy next with [m - 1] = i32.i64 i
             in (kept, changed)
         in map (map (+ 1)) kept)
      xs
