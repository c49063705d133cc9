-- Which point is nearest to a given one.
-- ==
-- entry: composed fused
-- input { [0f32, 3f32, 1f32] [0f32, 4f32, 1f32] 0.9f32 1f32 } output { 2i64 }
-- "large" random input { [2000000]f32 [2000000]f32 0.5f32 0.5f32 }

entry composed [n] (xs: [n]f32) (ys: [n]f32) (x: f32) (y: f32) : i64 =
  let dx = map (\u -> u - x) xs
  let dy = map (\v -> v - y) ys
  let distances = map2 (\a b -> a * a + b * b) dx dy
  let closer (i, d) (j, e) = if e < d then (j, e) else (i, d)
  in (reduce closer (-1, f32.inf) (zip (indices xs) distances)).0

entry fused [n] (xs: [n]f32) (ys: [n]f32) (x: f32) (y: f32) : i64 =
  (loop (i, d) = (-1, f32.inf) for j < n do
     let a = xs[j] - x
     let b = ys[j] - y
     let e = a * a + b * b
     in if e < d then (j, e) else (i, d)).0
