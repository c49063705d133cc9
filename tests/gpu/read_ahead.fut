-- Loops that read elements at places that they read and check: several iterations at a time, and the last ones.
-- ==
-- entry: gathered
-- input { [0i64] [1f32, 2f32, 4f32] } auto output
-- input { [0i64, 1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64, 9i64] [1f32, 2f32, 4f32, 8f32, 16f32, 32f32, 64f32, 128f32, 256f32, 512f32] } auto output
-- input { [1i64, 1i64, 1i64, 1i64, 1i64, 7i64] [1f32, 2f32, 4f32] } error: Index \[7\] out of bounds

entry gathered [n] [m] (at: [n]i64) (xs: [m]f32) : [n]f32 =
  tabulate n (\i -> loop sum = 0 for j < i + 1 do sum / 2 + xs[at[(i - j) % n]])

-- Two places one after the other, and what is carried is an integer and a float.
-- ==
-- entry: twice
-- input { [2i32, 0i32, 1i32, 4i32, 3i32] } auto output
-- input { [2i32, 0i32, 1i32, 5i32, 3i32] } error: Index \[5\] out of bounds

entry twice [n] (at: [n]i32) : ([n]i32, [n]f64) =
  unzip (tabulate n (\i ->
                       loop (k, x) = (0, 1) for j < i32.i64 i do
                         let a = at[at[j]]
                         in (k * 3 + a, x / 2 + f64.i32 (a * j))))
