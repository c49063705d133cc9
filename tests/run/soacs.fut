-- Second-order array combinators, alone and nested.
-- ==
-- entry: reductions
-- input { [1,2,3,4] } output { 10 24 4 [1,3,6,10] [0,1,3,6] }
-- input { empty([0]i32) } output { 0 1 -2147483648 empty([0]i32) empty([0]i32) }

entry reductions (xs: []i32) =
  (i32.sum xs, i32.product xs, i32.maximum xs, scan (+) 0 xs, exscan (+) 0 xs)

-- ==
-- entry: selections
-- input { [5,1,4,2,3] } output { [5,4,3] [1,2] [5,4] [3] [1,2] }

entry selections (xs: []i32) =
  let (ys, zs) = partition (< 3) xs
  let (a, b, _) = partition2 (> 3) (> 2) xs
  in (filter (> 2) xs, ys, a, b, zs[0:0] ++ ys) |> \(a, b, c, d, e) -> (a, b, c, d, e)

-- ==
-- entry: histogram
-- input { [0i64,1,0,7,-1] [1,2,3,4,5] } output { [4,2,0] }

entry histogram [n] (is: [n]i64) (vs: [n]i32) = hist (+) 0 3 is vs

-- ==
-- entry: scattered
-- input { [0,0,0] [2i64,0,5] [7,8,9] } output { [8,0,7] }

entry scattered [n] (dest: *[n]i32) (is: [3]i64) (vs: [3]i32) = scatter dest is vs

-- ==
-- entry: matmul
-- input { [[1,2],[3,4]] [[5,6],[7,8]] } output { [[19,22],[43,50]] }

entry matmul [n] [m] [k] (a: [n][m]i32) (b: [m][k]i32) =
  map (\row -> map (\col -> i32.sum (map2 (*) row col)) (transpose b)) a

-- ==
-- entry: tuple_scan
-- input { [true,false,true,false] [1,2,3,4] } output { [1,3,3,7] }

entry tuple_scan [n] (flags: [n]bool) (xs: [n]i32) =
  let op (f1, x1) (f2, x2) = (f1 || f2, if f2 then x2 else x1 + x2)
  in map (.1) (scan op (false, 0) (zip flags xs))

-- ==
-- entry: column_of_scanned_rows
-- input { 3i64 } output { 21i64 }

entry column_of_scanned_rows (a: i64) =
  let rows = scan (map2 (\p q -> p + q + a)) (replicate 3 (-a)) (map (replicate 3) (replicate 3 (a - 1)))
  in (map i64.sum (transpose rows))[2]
