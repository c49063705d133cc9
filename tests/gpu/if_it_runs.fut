-- What is the same at all points, but relies on a check that need only hold if there are points.
-- ==
-- entry: table
-- input { [1f32, 2f32, 3f32] 4i64 } output { [6f32, 12f32, 18f32] }
-- input { empty([0]f32) 4i64 } output { empty([0]f32) }
-- input { empty([0]f32) -4i64 } output { empty([0]f32) }
-- input { [1f32] -4i64 } error: Range 0..1..<-4 is invalid
entry table [n] (xs: [n]f32) (k: i64) : [n]f32 =
  map (\x ->
         let ys = scan (+) 0 (map f32.i64 (0..1..<k))
         in f32.maximum (map (* x) ys))
      xs

-- ==
-- entry: total
-- input { [1f32, 2f32, 3f32] 4i64 } output { 36f32 }
-- input { empty([0]f32) -4i64 } output { 0f32 }
entry total [n] (xs: [n]f32) (k: i64) : f32 =
  f32.sum (map (\x ->
                  let ys = scan (+) 0 (map f32.i64 (0..1..<k))
                  in f32.maximum (map (* x) ys))
               xs)

-- ==
-- entry: rows
-- input { [1f32, 2f32] 3i64 } output { [[0f32, 1f32, 3f32], [0f32, 2f32, 6f32]] }
-- input { empty([0]f32) 2i64 } output { empty([0][2]f32) }
entry rows [n] (xs: [n]f32) (k: i64) : [n][k]f32 =
  map (\x ->
         let ys = scan (+) 0 (map f32.i64 (iota k))
         in map (* x) ys)
      xs
