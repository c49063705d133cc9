-- Matrices of thread blocks whose rows are as long as all banks of shared memory: threads in different rows, and in different columns.
-- ==
-- entry: triangles
-- input { 1i64 } auto output
-- input { 3i64 } auto output

entry triangles (n: i64) : [n][32]i32 =
  #[incremental_flattening(only_intra)]
  tabulate n (\k ->
                let mat = tabulate_2d 32 32 (\i j -> i32.i64 ((i * 7 + j * 3 + k) % 11))
                let mat =
                  #[unsafe]
                  loop (mat: *[32][32]i32) = mat
                  for i < 31 do
                    let col = map (\j -> if j > i then mat[j, i] + #[sequential] i32.sum mat[j, :i] else mat[j, i]) (iota 32)
                    let mat[:, i] = col
                    let row = map (\j -> if j > i then mat[i + 1, j] ^ #[sequential] i32.sum mat[:i, j] else mat[i + 1, j]) (iota 32)
                    let mat[i + 1] = row
                    in mat
                in map (\j -> #[sequential] i32.sum mat[j]) (iota 32))

-- ==
-- entry: wide
-- input { 2i64 } auto output

entry wide (n: i64) : ([n][40]f64, [n][64]i32) =
  #[incremental_flattening(only_intra)]
  map (\k ->
         let xs = tabulate_2d 40 16 (\i j -> f64.i64 (i * 16 + j + k))
         let ys = tabulate_2d 64 64 (\i j -> i32.i64 ((i * 5 + j * k) % 17))
         in ( tabulate 40 (\i -> #[sequential] f64.sum xs[i])
            , tabulate 64 (\i -> (#[sequential] i32.sum ys[i]) * 3 + #[sequential] i32.sum ys[:, i])
            ))
      (iota n)
  |> unzip

-- Rows whose length is known when the program runs: threads are on columns, and on both kinds of diagonals.
-- ==
-- entry: columns falling rising
-- input { 2i64 31i64 } auto output
-- input { 2i64 32i64 } auto output
-- input { 3i64 33i64 } auto output
-- input { 1i64 65i64 } auto output
-- input { 2i64 0i64 } auto output
-- input { 1i64 1i64 } auto output
-- input { 1i64 129i64 } auto output

entry columns (k: i64) (n: i64) : [k][n]i32 =
  #[incremental_flattening(only_intra)]
  tabulate k (\g ->
                #[unsafe]
                let mat = tabulate_2d n n (\i j -> i32.i64 ((i * 7 + j * 3 + g) % 19))
                in loop sums = replicate n 0 for i < n do
                     map2 (\t s -> s * 3 + mat[t, i] + mat[t, (i + 1) % n]) (iota n) sums)

entry falling (k: i64) (n: i64) : [k][n][n]i32 =
  #[incremental_flattening(only_intra)]
  tabulate k (\g ->
                #[unsafe]
                loop (mat: *[n][n]i32) = unflatten (replicate (n * n) (i32.i64 g))
                for i < n do
                  let values = tabulate n (\t -> if t <= i then mat[i - t, t] + i32.i64 t else 0)
                  in scatter_2d mat (tabulate n (\t -> if t <= i then (i - t, t) else (-1, -1))) values)

entry rising (k: i64) (n: i64) : [k][n][n]f64 =
  #[incremental_flattening(only_intra)]
  tabulate k (\g ->
                #[unsafe]
                loop (mat: *[n][n]f64) = tabulate_2d n n (\i j -> f64.i64 (i - j + g))
                for i < n do
                  let values = tabulate n (\t -> if t + i < n then mat[t + i, t] + 0.5 else 0)
                  in scatter_2d mat (tabulate n (\t -> if t + i < n then (t + i, t) else (-1, -1))) values)
