-- A weighted inner product.
-- ==
-- entry: composed fused
-- input { [1f32, 2f32] [3f32, 4f32] [1f32, 10f32] } output { 83f32 }
-- "large" random input { [2000000]f32 [2000000]f32 [2000000]f32 }

entry composed [n] (xs: [n]f32) (ys: [n]f32) (ws: [n]f32) : f32 =
  map2 (*) xs ys |> map2 (*) ws |> f32.sum

entry fused [n] (xs: [n]f32) (ys: [n]f32) (ws: [n]f32) : f32 =
  loop s = 0 for i < n do s + ws[i] * (xs[i] * ys[i])
