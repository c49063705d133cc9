-- Two arrays that are written to, and then made anew row by row: neither may be made in the memory of the other.
-- ==
-- entry: main
-- input { [1] [1] [7] [[1, 2, 3], [4, 5, 6]] [[10, 20, 30], [40, 50, 60]] }
-- output { [[1, 2, 3], [4, 7, 6]] [[10, 20, 30], [40, 7, 60]] }

entry main [k] [n] [m] (is: [k]i32) (js: [k]i32) (vs: [k]i32) (a: *[n][m]i32) (b: *[n][m]i32) : ([n][m]i32, [n][m]i32) =
  let both = scatter_2d (copy (map2 zip a b)) (map2 (\i j -> (i64.i32 i, i64.i32 j)) is js) (zip vs vs)
  in unzip (map unzip both)
