-- Scans and reductions of the same mapped values: no kernel does both.

-- Counted by the reductions, placed by the scans: a step of a radix sort.
-- ==
-- entry: step
-- compiled random input { 2i32 [1000]i32 } auto output
-- compiled random input { 0i32 [1]i32 } auto output
-- compiled random input { 7i32 [100000]i32 } auto output
-- input { 1i32 empty([0]i32) } auto output
entry step [n] (bit: i32) (xs: [n]i32) : [n]i32 =
  let digit x = (x >> bit) & 3
  let digits = map digit xs
  let (a, b, c) =
    reduce_comm (\(a, b, c) (x, y, z) -> (a + x, b + y, c + z)) (0, 0, 0)
                (map (\d -> (i64.bool (d == 0), i64.bool (d == 1), i64.bool (d == 2))) digits)
  let places =
    scan (\(p, q, r, s) (w, x, y, z) -> (p + w, q + x, r + y, s + z)) (0, 0, 0, 0)
         (map (\d -> (i64.bool (d == 0), i64.bool (d == 1), i64.bool (d == 2), i64.bool (d == 3))) digits)
  let place d (p, q, r, s) =
    if d == 0 then p - 1 else if d == 1 then a + q - 1 else if d == 2 then a + b + r - 1 else a + b + c + s - 1
  in scatter (replicate n 0) (map2 place digits places) xs

-- What is mapped costs much, so it is stored for the reduction; a result of the map is kept, too.
-- ==
-- entry: costly
-- compiled random input { [1000]f64 } auto output
-- input { [1f64, 2f64] } auto output
entry costly [n] (xs: [n]f64) : ([n]f64, f64, [n]f64) =
  let ys = map (\x -> f64.exp (f64.sin x) + f64.log (x * x + 1) + f64.cos (f64.sqrt (f64.abs x))) xs
  in (scan (+) 0 ys, reduce f64.max f64.lowest ys, ys)

-- The same in each row, with checks that may fail, and an operator that is not commutative.
-- ==
-- entry: rows
-- compiled random input { [20][50]i64 } auto output
-- input { [[1i64, 2i64, 3i64], [-4i64, 5i64, 0i64]] } auto output
entry rows [n][m] (xss: [n][m]i64) =
  map (\xs ->
         let ys = map (\x -> xss[x % n, x % m] + 1) xs
         in (scan (+) 0 ys, reduce (\a b -> if b == 0 then a else b) 0 ys))
      xss
  |> unzip
