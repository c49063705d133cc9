-- Slices of flat arrays by strides, from the prelude.

-- The diagonal of a matrix, and its anti-diagonal of 2 by 2 blocks.
-- ==
-- entry: diagonal
-- input { 3i64 [0, 1, 2, 3, 4, 5, 6, 7, 8] }
-- output { [[0], [4], [8]] }
-- input { 0i64 empty([0]i32) }
-- output { empty([0][1]i32) }
-- input { 3i64 [0, 1, 2, 3, 4, 5, 6, 7] }
-- error: out of bounds
entry diagonal (n: i64) (xs: []i32) : [n][1]i32 = flat_index_2d xs 0 n (n + 1) 1 1

-- ==
-- entry: blocks
-- input { [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] }
-- output { [[[2, 3], [6, 7]], [[8, 9], [12, 13]]] }
entry blocks (xs: []i32) : [2][2][2]i32 = flat_index_3d xs 2 2 6 2 4 2 1

-- ==
-- entry: backwards
-- input { [0, 1, 2, 3, 4, 5] }
-- output { [[[[5, 4], [3, 2]]]] }
entry backwards (xs: []i32) : [1][1][2][2]i32 = flat_index_4d xs 5 1 0 1 0 2 (-2) 2 (-1)

-- An update writes the elements of the slice.
-- ==
-- entry: update
-- input { [0, 1, 2, 3, 4, 5, 6, 7, 8] 0i64 3i64 1i64 [[10, 20], [30, 40]] }
-- output { [10, 20, 2, 30, 40, 5, 6, 7, 8] }
-- input { [0, 1, 2, 3, 4, 5, 6, 7, 8] 8i64 -1i64 -3i64 [[10, 20], [30, 40]] }
-- output { [0, 1, 2, 3, 40, 20, 6, 30, 10] }
-- input { [0, 1, 2, 3, 4, 5, 6, 7, 8] 0i64 3i64 2i64 [[10, 20, 30], [40, 50, 60]] }
-- output { [10, 1, 20, 40, 30, 50, 6, 60, 8] }
-- input { [0, 1, 2] 7i64 3i64 2i64 empty([0][3]i32) }
-- output { [0, 1, 2] }
-- input { [0, 1, 2, 3] 0i64 1i64 1i64 [[10, 20], [30, 40]] }
-- error: values_have_different_places
-- input { [0, 1, 2, 3] 0i64 0i64 1i64 [[10, 20], [30, 40]] }
-- error: values_have_different_places
-- input { [0, 1, 2, 3, 4, 5, 6, 7, 8] 0i64 4i64 2i64 [[10, 20, 30], [40, 50, 60]] }
-- error: values_have_different_places
-- input { [0, 1, 2, 3] 1i64 2i64 1i64 [[10, 20], [30, 40]] }
-- error: out of bounds
entry update (xs: *[]i32) (offset: i64) (s1: i64) (s2: i64) (vs: [][]i32) : []i32 =
  flat_update_2d xs offset s1 s2 vs

-- ==
-- entry: update_3d
-- input { 16i64 2i64 6i64 4i64 1i64 }
-- output { [0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0] }
-- input { 16i64 2i64 4i64 4i64 1i64 }
-- error: values_have_different_places
-- input { 16i64 0i64 4i64 2i64 1i64 }
-- output { [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0] }
entry update_3d (n: i64) (offset: i64) (s1: i64) (s2: i64) (s3: i64) : []i32 =
  flat_update_3d (replicate n 0) offset s1 s2 s3 [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]

-- ==
-- entry: update_4d
-- input { 8i64 8i64 4i64 2i64 }
-- output { [1, 2, 3, 4, 5, 6, 7, 8] }
-- input { 8i64 1i64 2i64 4i64 }
-- output { [1, 2, 5, 6, 3, 4, 7, 8] }
-- input { 9i64 1i64 3i64 4i64 }
-- error: values_have_different_places
-- input { 8i64 8i64 2i64 2i64 }
-- error: values_have_different_places
entry update_4d (n: i64) (s1: i64) (s2: i64) (s3: i64) : []i32 =
  flat_update_4d (replicate n 0) 0 s1 s2 s3 1 [[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]]

-- What is put there can be computed there, and rows around it read.
-- ==
-- entry: border
-- input { 4i64 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] }
-- output { [0, 1, 2, 3, 4, 15, 18, 7, 8, 27, 30, 11, 12, 13, 14, 15] }
entry border (n: i64) (xs: *[]i32) : []i32 =
  let inner = map (map (* 3)) (flat_index_2d xs (n + 1) (n - 2) n (n - 2) 1)
  in flat_update_2d xs (n + 1) n 1 inner

-- Elements may be arrays, also of tuples: rows go as a whole.
-- ==
-- entry: of_rows
-- input { [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]] }
-- output { [[[0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 11]]] }
-- input { empty([6][0]i32) }
-- output { empty([2][3][0]i32) }
entry of_rows [m] (xs: [6][m]i32) : [2][3][m]i32 = flat_index_2d xs 0 2 1 3 2

-- ==
-- entry: update_rows
-- input { [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]] [[[-1, -2], [-3, -4]], [[-5, -6], [-7, -8]]] }
-- output { [[0, 1], [-1, -2], [-3, -4], [6, 7], [-5, -6], [-7, -8]] [[[-3, -4], [6, 7]]] }
-- input { [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]] [[[-1, -2], [-3, -4]], [[-5, -6], [-7, -8]]] }
-- error: out of bounds
entry update_rows [n] [m] (xs: *[n][m]i32) (vs: [2][2][m]i32) : ([n][m]i32, [1][2][m]i32) =
  let ys = flat_update_2d xs 1 3 1 vs
  in (ys, flat_index_2d (copy ys) 2 1 0 2 1)

-- ==
-- entry: update_pairs
-- input { [[0, 1], [2, 3], [4, 5], [6, 7]] [7i64, 8i64] }
-- output { [[0, 1], [7, 7], [4, 5], [8, 8]] [0i64, 7i64, 2i64, 8i64] }
entry update_pairs [n] (xs: [n][2]i32) (vs: [2]i64) : ([n][2]i32, [n]i64) =
  let pairs = copy (zip xs (iota n))
  let values = map (\v -> [(replicate 2 (i32.i64 v), v)]) vs
  in unzip (flat_update_2d pairs 1 2 1 values)
