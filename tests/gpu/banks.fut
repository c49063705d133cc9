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
