-- Maps of one and more dimensions, of scalars and rows, with sizes around those of blocks.
-- ==
-- entry: increment
-- input { empty([0]i32) } auto output
-- random input { [1]i32 } auto output
-- random input { [1023]i32 } auto output
-- random input { [100001]i32 } auto output

-- ==
-- entry: outer_product
-- random input { [0]i64 [5]i64 } auto output
-- random input { [17]i64 [33]i64 } auto output
-- random input { [300]i64 [301]i64 } auto output

-- ==
-- entry: three_dims
-- input { 3i64 5i64 7i64 } auto output
-- input { 0i64 5i64 7i64 } auto output
-- input { 31i64 33i64 65i64 } auto output

-- Many points: rows that parts fill well (once, four times), and one that leaves most of its last part empty.
-- ==
-- entry: long_rows
-- random input { [2]i8 [300]i8 [1000]i8 } auto output
-- random input { [1]i8 [150]i8 [4095]i8 } auto output
-- random input { [2]i8 [300]i8 [1025]i8 } auto output

-- ==
-- entry: small_rows
-- random input { [100]i32 } auto output
-- random input { [10000]i32 } auto output

-- ==
-- entry: large_rows
-- random input { [100]i32 } auto output

-- ==
-- entry: bytes
-- random input { [1000]i8 [1000]u16 [1000]bool } auto output

-- ==
-- entry: halves
-- random input { [1000]f16 } auto output

entry increment (xs: []i32) = map (+ 1) xs
entry outer_product (xs: []i64) (ys: []i64) = map (\x -> map (\y -> x * y) ys) xs
entry three_dims (a: i64) (b: i64) (c: i64) = tabulate_3d a b c (\i j k -> i * 10000 + j * 100 + k)
entry long_rows (xs: []i8) (ys: []i8) (zs: []i8) =
  map (\x -> map (\y -> map (\z -> if x > y then x * z + y else y ^ z) zs) ys) xs
-- A few values per point, kept by the thread.
entry small_rows (xs: []i32) = map (\x -> let r = [x, x + 1, x ^ 3] in #[sequential] map (* 2) r) xs
-- Too many values per point to keep.
entry large_rows (xs: []i32) =
  map (\x -> loop r = #[sequential] replicate 1000 x for i < 1000 do r with [i] = r[(i * 7) % 1000] + i32.i64 i) xs
entry bytes (a: []i8) (b: []u16) (c: []bool) =
  map3 (\x y z -> (x / 3i8, y >> 2u16, !z, if z then i32.i8 x else i32.u16 y)) a b c |> unzip4
entry halves (xs: []f16) = map (\x -> x * 2 + 1) xs
