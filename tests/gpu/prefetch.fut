-- Loops of thread blocks that read what does not depend on them some iterations before they need it: loops with fewer iterations than that, with none,
-- reads in branches, reads that do depend on the loop, and memory that the kernel writes.
-- ==
-- entry: diagonals columns led written
-- input { 3i64 16i64 0i64 } auto output
-- input { 3i64 16i64 1i64 } auto output
-- input { 2i64 16i64 7i64 } auto output
-- input { 2i64 16i64 8i64 } auto output
-- input { 4i64 16i64 9i64 } auto output
-- input { 4i64 16i64 30i64 } auto output

def rows (b: i64) (n: i64) (m: i64) : [b][n][m]i32 =
  opaque (tabulate_3d b n m (\k i j -> i32.i64 ((k * 7 + i * 31 + j * 17 + i * j) % 101)))

-- Points of a diagonal, each of which exists in some iterations.
entry diagonals (b: i64) (m: i64) (n: i64) : [b][m]i32 =
  #[incremental_flattening(only_intra)]
  map (\(xs: [n][m]i32) ->
    loop acc = replicate m 1 for i < n do
      #[unsafe]
      tabulate m (\j -> acc[(j + 1) % m] * 3 + (if j <= i then (if i - j < n - 1 then xs[i - j, j] else 5) else 2)))
    (rows b n m)

-- Every iteration reads a row, of two arrays.
entry columns (b: i64) (m: i64) (n: i64) : [b][m]i32 =
  #[incremental_flattening(only_intra)]
  map2 (\(xs: [n][m]i32) (ys: [n][m]i32) ->
    loop acc = replicate m 1 for i < n do
      #[unsafe]
      tabulate m (\j -> acc[(j + 5) % m] * ys[n - 1 - i, j] + xs[i, (j * 3) % m]))
    (rows b n m) (opaque (rows b n m))

-- The place of what is read depends on the iteration before.
entry led (b: i64) (m: i64) (n: i64) : [b][m]i32 =
  #[incremental_flattening(only_intra)]
  map (\(xs: [n][m]i32) ->
    loop acc = replicate m 1 for i < n do
      #[unsafe]
      tabulate m (\j -> acc[(j + 1) % m] + xs[i, i64.i32 acc[j] % m]))
    (rows b n m)

-- The number of the iteration is an i32, and what is read was written before.
entry written (b: i64) (m: i64) (n: i64) : [b][m]i32 =
  let xss = copy (rows b n m)
  in #[incremental_flattening(only_intra)]
     map (\(xs: [n][m]i32) ->
       let ys = loop ys = copy xs for i < i32.i64 n - 1 do
         #[unsafe] ys with [i64.i32 i + 1] = map2 (+) ys[i64.i32 i] (rotate 1 ys[i64.i32 i + 1])
       in reduce (map2 (+)) (replicate m 0) ys)
       xss
