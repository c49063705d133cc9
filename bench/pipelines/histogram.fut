-- How many numbers of an array fall into each of 256 intervals, without those out of range.
-- ==
-- entry: composed fused
-- "large" random input { [3000000]f32 }

def bin (x: f32) : i64 = i64.f32 (x * 256)

entry composed (xs: []f32) : [256]i32 =
  let ys = map (\x -> x * 1.25 - 0.125) xs
  let bins = map bin (filter (>= 0) ys)
  in reduce_by_index (replicate 256 0) (+) 0 bins (map (const 1) bins)

entry fused [n] (xs: [n]f32) : [256]i32 =
  loop counts = replicate 256 0 for i < n do
    let y = xs[i] * 1.25 - 0.125
    let b = bin y
    in if y >= 0 && b < 256 then #[unsafe] counts with [b] = counts[b] + 1 else counts
