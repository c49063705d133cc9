-- Steps of a thread block that write what no other thread reads in the same step, and others that write what others read.
-- ==
-- entry: apart meets handed_on written_twice
-- input { 3i64 5i64 } auto output
-- input { 2i64 64i64 } auto output
-- input { 2i64 70i64 } auto output
-- input { 4i64 0i64 } auto output

-- Along diagonals: a thread writes one further than all read.
entry apart (k: i64) (b: i64) : [][][]i32 =
  let b = i64.min b 70
  let n = b + 1
  in #[incremental_flattening(only_intra)]
     tabulate k (\g ->
                   #[unsafe]
                   let a = tabulate_2d n n (\i j -> i32.i64 ((i * 7 + j * 3 + g) % 31))
                   in loop a for i < b do
                        let vs = map (\t -> if t <= i then a[i - t, t] * 3 + a[i - t + 1, t] + a[i - t, t + 1] else 0) (iota b)
                        let is = map (\t -> if t <= i then (i - t + 1, t + 1) else (-1, -1)) (iota b)
                        in scatter_2d a is vs)

-- A row moves to the right, so that each thread writes what another one reads.
entry meets (k: i64) (b: i64) : [][][]i32 =
  let b = i64.min b 70
  let n = b + 1
  in #[incremental_flattening(only_intra)]
     tabulate k (\g ->
                   #[unsafe]
                   let a = tabulate_2d n n (\i j -> i32.i64 ((i * 7 + j * 3 + g) % 31))
                   in loop a for i < b do
                        let vs = map (\t -> a[i, t] * 3 + 1) (iota b)
                        in scatter_2d a (map (\t -> (i, t + 1)) (iota b)) vs)

-- The next row, of what other threads computed of this one.
entry handed_on (k: i64) (b: i64) : [][][]i32 =
  let b = i64.min b 70
  let n = b + 1
  in #[incremental_flattening(only_intra)]
     tabulate k (\g ->
                   #[unsafe]
                   let a = tabulate_2d n n (\i j -> i32.i64 ((i * 7 + j * 3 + g) % 31))
                   in loop a for i < b do
                        let vs = map (\t -> a[i, t] * 3 + 1) (iota b)
                        let ws = map (\t -> vs[b - 1 - t] + 2) (iota b)
                        in scatter_2d a (map (\t -> (i + 1, t)) (iota b)) ws)

-- Two writes after a read: the first one is apart from what is read, the second one is not.
entry written_twice (k: i64) (b: i64) : [][][]i32 =
  let b = i64.min b 40
  let n = 2 * b + 4
  in #[incremental_flattening(only_intra)]
     tabulate k (\g ->
                   #[unsafe]
                   let a = tabulate_2d n n (\i j -> i32.i64 ((i * 7 + j * 3 + g) % 31))
                   in loop a for i < b do
                        let (vs, ws) = unzip (map (\t -> (a[i - t + b, t] * 3, a[i - t + b, t + 1])) (iota b))
                        let a = scatter_2d a (map (\t -> (i - t + b + 1, t + 1)) (iota b)) vs
                        in scatter_2d a (map (\t -> (i - t + b, t + 1)) (iota b)) ws)
