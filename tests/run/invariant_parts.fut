-- Parts of inner maps that are the same at all points around them are computed once, but only if they can do no harm where nothing is around them.

-- ==
-- entry: scores
-- input { [[1f32, 2f32], [0f32, 1f32], [3f32, 0f32]] [[1f32, 1f32], [2f32, -1f32]] }
-- output { [[2f32, -2.5f32], [0f32, -3.5f32], [2f32, 3.5f32]] }
-- input { empty([0][2]f32) [[1f32, 1f32], [2f32, -1f32]] }
-- output { empty([0][2]f32) }
-- input { [[1f32, 2f32]] empty([0][2]f32) }
-- output { empty([1][0]f32) }
entry scores [n] [m] [d] (xs: [n][d]f32) (cs: [m][d]f32) =
  map (\x -> map (\c -> f32.sum (map2 (*) x c) - 0.5f32 * f32.sum (map2 (*) c c)) cs) xs

-- ==
-- entry: steps
-- input { [4f64, 9f64] 3i64 }
-- output { [10f64, 18f64] }
-- input { [4f64, 9f64] 0i64 }
-- output { [4f64, 9f64] }
entry steps [n] (xs: [n]f64) (k: i64) = loop ys = xs for _i < k do map2 (\x y -> f64.sqrt x + y) xs ys

-- Without rows, no index is wrong, and nothing is divided by zero.
-- ==
-- entry: checked
-- input { empty([0]i32) [7i64, 1i64] [5i32, 6i32] }
-- output { empty([0][2]i32) }
-- input { [1i32] [1i64, 0i64] [5i32, 6i32] }
-- output { [[4i32, 4i32]] }
-- input { [1i32] [7i64, 1i64] [5i32, 6i32] }
-- error: Index \[7\] out of bounds
-- input { [1i32] [0i64, 1i64] [0i32, 6i32] }
-- error:
entry checked [n] [m] [k] (xs: [n]i32) (is: [m]i64) (ys: [k]i32) =
  map (\x -> map (\i -> 20 / ys[i] % 7 + loop s = 0 for j < i do s + ys[j] / 5 % 2 - i32.i64 j * x) is) xs
