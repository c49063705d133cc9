-- Thread blocks have a thread for each point of what runs in their loops, and so several elements for each thread of arrays of two and three dimensions, which
-- they copy from and to shared memory. What a step hands on from a map to an update at the same point stays in registers.
-- ==
-- entry: planes boxes
-- input { 3i64 5i64 40i64 } auto output
-- input { 2i64 37i64 35i64 } auto output
-- input { 2i64 1i64 33i64 } auto output
-- input { 3i64 41i64 1i64 } auto output
-- input { 2i64 0i64 33i64 } auto output
-- input { 2i64 64i64 64i64 } auto output
-- input { 1i64 3i64 100i64 } auto output

-- Each step reads the whole plane before it changes a diagonal of it.
def steps [a][b] (n: i64) (start: *[a][b]i64) : *[a][b]i64 =
  loop xs = start for s < n do
    let vals = tabulate b (\j -> if a == 0 then 0 else #[unsafe] xs[(s + j) % a, (j + 1) % b] * 3 + s)
    let inds = tabulate b (\j -> if a == 0 then (-1, -1) else ((s + 2 * j) % a, j))
    in scatter_2d xs inds vals

entry planes (k: i64) (a: i64) (b: i64) : [k][a][b]i64 =
  #[incremental_flattening(only_intra)]
  map (\p -> steps 5 (tabulate_2d a b (\i j -> p * 100 + i * 10 + j))) (iota k)

entry boxes (k: i64) (a: i64) (b: i64) : [k][b][3][a]i64 =
  #[incremental_flattening(only_intra)]
  map (\p -> let xs = steps 4 (tabulate_2d a b (\i j -> p + i * b + j))
             in tabulate_3d b 3 a (\j l i -> #[unsafe] xs[i, j] + l))
      (iota k)
