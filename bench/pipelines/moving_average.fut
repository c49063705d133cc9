-- The mean of each three neighbours, from shifted copies and from indices.
-- ==
-- entry: composed fused
-- input { [3f32, 6f32, 9f32, 0f32] } output { [6f32, 5f32] }
-- input { [1f32, 2f32] } output { empty([0]f32) }
-- "large" random input { [3000000]f32 }

entry composed [n] (xs: [n]f32) : []f32 =
  let m = i64.max 0 (n - 2)
  let left = take m xs
  let middle = take m (drop 1 xs)
  let right = take m (drop 2 xs)
  in map2 (+) left middle |> map2 (+) right |> map (/ 3)

entry fused [n] (xs: [n]f32) : []f32 =
  tabulate (i64.max 0 (n - 2)) (\i -> #[unsafe] (xs[i + 2] + (xs[i] + xs[i + 1])) / 3)
