-- The sum of what is left of an array after a map and a filter.
-- ==
-- entry: composed fused
-- input { [1f32, -2f32, 3f32] } output { 9f32 }
-- input { empty([0]f32) } output { 1f32 }
-- "large" random input { [3000000]f32 }

entry composed (xs: []f32) : f32 =
  xs |> map (\x -> x * 3 - 1) |> filter (> 0) |> map (\x -> x - 1) |> f32.sum |> (+ 1)

entry fused (xs: []f32) : f32 =
  let part x = let y = x * 3 - 1 in if y > 0 then y - 1 else 0
  in 1 + reduce (+) 0 (map part xs)
