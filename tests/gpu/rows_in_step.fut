-- All points of a row walk along the same rows, several elements at a time: rows of all lengths begin at all places.
-- ==
-- entry: forces
-- input { 1i64 3i64 } auto output
-- input { 4i64 5i64 } auto output
-- input { 9i64 7i64 } auto output
-- input { 6i64 8i64 } auto output
-- input { 5i64 100i64 } auto output
-- input { 7i64 129i64 } auto output

entry forces (b: i64) (p: i64) : [b][p]f32 =
  let at = tabulate b (\i -> i32.i64 ((i * 7 + 3) % b)) |> opaque
  let xs = tabulate_2d b p (\i j -> f32.i64 ((i * 3 + j * 5) % 11)) |> opaque
  let ys = tabulate_2d b p (\i j -> f32.i64 ((i * 5 + j * 2) % 7)) |> opaque
  let zs = tabulate_2d b p (\i j -> i16.i64 ((i + j * 3) % 13)) |> opaque
  in tabulate_2d b p (\i j ->
                        let x = f32.i64 (i + 2 * j)
                        in loop sum = 0
                           for k < 3 do
                             let row = at[(i + k) % b]
                             let (part, odd) =
                               #[unsafe]
                               loop (part, odd) = (0, 0)
                               for l < p do
                                 let y = xs[row, l] - x + ys[row, l]
                                 in (part / 2 + y, odd ^ zs[row, l])
                             in sum + part + f32.i16 odd)

-- Numbers of rows of different types, and a loop that counts by a narrow integer.
-- ==
-- entry: mixed
-- input { 3i64 21i32 } auto output
-- input { 11i64 64i32 } auto output
-- input { 2i64 0i32 } auto output

entry mixed (n: i64) (m: i32) : [n]f64 =
  let k = i64.i32 m
  let xs = tabulate_2d n k (\i j -> f64.i64 (i * 10 + j)) |> opaque
  let ys = tabulate_2d n k (\i j -> i16.i64 (i + j * 3)) |> opaque
  let rows = tabulate n (\i -> n - 1 - i) |> opaque
  in tabulate n (\i ->
                   #[unsafe]
                   loop s = f64.i64 i
                   for r < n do
                     let row = rows[r]
                     in loop s for j < m do s * 0.5 + xs[row, i64.i32 j] * f64.i16 ys[row, i64.i32 j])
