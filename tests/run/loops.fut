-- Loops that compilers rearrange, at sizes near the edges.

def columns [n] [m] (weights: [n]f32) (xss: [n][m]f32) : [m]f32 =
  map (\column -> f32.sum (map2 (*) weights column)) (transpose xss)

-- ==
-- entry: sums
-- input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] [1f32, 10f32] } output { [41f32, 52f32, 63f32] }
-- input { empty([0][3]f32) empty([0]f32) } output { [0f32, 0f32, 0f32] }
-- input { empty([2][0]f32) [1f32, 2f32] } output { empty([0]f32) }
-- input { [[1f32], [2f32], [3f32], [4f32], [5f32], [6f32]] [1f32, 1f32, 1f32, 1f32, 1f32, 1f32] } output { [21f32] }
entry sums xss weights = columns weights xss

-- Longer than a strip, and compared with the other order.
-- ==
-- entry: strips
-- input { 0i64 5i64 } output { true }
-- input { 1i64 1023i64 } output { true }
-- input { 7i64 1024i64 } output { true }
-- input { 9i64 1025i64 } output { true }
-- input { 3i64 2500i64 } output { true }
entry strips (n: i64) (m: i64) =
  let xss = tabulate_2d n m (\i j -> f32.i64 ((i * 31 + j * 17) % 23))
  let weights = tabulate n (\i -> 0.1 + f32.i64 i)
  let by_loop = tabulate m (\j -> loop s = 0 for i < n do s + weights[i] * xss[i, j])
  in and (map2 (==) (columns weights xss) by_loop)

-- ==
-- entry: clamped branched guarded
-- input { empty([0]i32) } output { empty([0]i32) }
-- input { [5i32] } output { [0i32] }
-- input { [5i32, 3i32] } output { [2i32, 2i32] }
-- input { [5i32, 3i32, 9i32] } output { [2i32, -4i32, -6i32] }
-- input { [1i32, 2i32, 4i32, 8i32, 16i32] } output { [-1i32, -3i32, -6i32, -12i32, -8i32] }
entry clamped [m] (xs: [m]i32) : [m]i32 =
  tabulate m (\j -> xs[i64.max 0 (j - 1)] - xs[i64.min (m - 1) (j + 1)])

entry branched [m] (xs: [m]i32) : [m]i32 =
  tabulate m (\j ->
    let left = if j == 0 then xs[0] else xs[j - 1]
    let right = if j == m - 1 then xs[m - 1] else xs[j + 1]
    in left - right)

entry guarded [m] (xs: [m]i32) : [m]i32 =
  tabulate m (\j ->
    if j > 0 && j < m - 1
    then xs[j - 1] - xs[j + 1]
    else (if j >= 1 then xs[j - 1] else xs[j]) - (if j + 1 < m then xs[j + 1] else xs[j]))

-- A check that fails at the end of the loop only.
-- ==
-- entry: beyond
-- input { [1i32, 2i32] 0i64 } output { [1i32, 2i32] }
-- input { [1i32, 2i32] 1i64 } error: out of bounds
-- input { [1i32, 2i32] -1i64 } error: out of bounds
-- input { [1i32, 2i32] 9223372036854775807i64 } error: out of bounds
-- input { empty([0]i32) 1i64 } output { empty([0]i32) }
entry beyond [m] (xs: [m]i32) (k: i64) : [m]i32 =
  tabulate m (\j -> xs[j + k])

-- A loop that fills an array is a map; the size is still checked.
-- ==
-- entry: filled
-- input { [1, 2] 3i64 } output { [[1, 2, 3], [2, 3, 4]] }
-- input { [1, 2] 0i64 } output { empty([2][0]i32) }
-- input { [1, 2] -3i64 } error: Replicate count
-- input { empty([0]i32) 2i64 } output { empty([0][2]i32) }
entry filled [n] (xs: [n]i32) (m: i64) : [n][m]i32 =
  map (\x -> loop row = replicate m 0i32 for i < m do row with [i] = x + i32.i64 i) xs
