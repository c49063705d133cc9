-- Rows of a matrix, divided by their sums.
-- ==
-- entry: composed fused
-- input { [[1f32, 3f32], [2f32, 2f32]] } output { [[0.25f32, 0.75f32], [0.5f32, 0.5f32]] }
-- "large" random input { [2000][1000]f32 }

entry composed [n] [m] (xss: [n][m]f32) : [n][m]f32 =
  let sums = map f32.sum xss
  let factors = map (1 /) sums
  in map2 (\f -> map (* f)) factors xss

entry fused [n] [m] (xss: [n][m]f32) : [n][m]f32 =
  map (\xs ->
         let s = loop s = 0 for x in xs do s + x
         let f = 1 / s
         in map (* f) xs)
      xss
