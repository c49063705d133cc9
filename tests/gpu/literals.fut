-- Array literals of numbers that the host has, which are written together.

-- A row that changes in each iteration, in a matrix whose other rows do not.
-- ==
-- entry: gates
-- input { 3i64 [1.0f32, 2.0f32, 3.0f32, 4.0f32] } auto output
entry gates (steps: i64) (xs: [4]f32) : [4]f32 =
  loop xs = xs for i < steps do
    let re = f32.i64 (i + 1)
    let gate = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0.5, 0, 0.25, re]]
    let other = [[0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, re]]
    in map (\i ->
              let row = (i * 3) % 4
              in xs[0] * gate[row, 0] + xs[1] * gate[row, 1] + xs[2] * gate[row, 2] + xs[3] * gate[row, 3] - xs[i] * other[row, i])
           (iota 4)

-- Zeros of both signs are different elements.
-- ==
-- entry: signs
-- input { 2.0f32 } output { [1i32, -2147483648i32, 0i32, 1073741824i32, 0i32, -2147483648i32] }
entry signs (x: f32) : [6]i32 =
  let zs = [1.0e-45, -0.0, 0.0, x, 0.0, -0.0]
  in map (\z -> i32.u32 (f32.to_bits z)) zs

-- Literals of several shapes and types, some of which are used before others are there.
-- ==
-- entry: shapes
-- input { 5i32 } output { [5i32, 6i32, 7i32] [[5i8, 6i8], [7i8, 8i8]] [true, false, true] 18i32 [50i32, 60i32, 70i32] }
entry shapes (x: i32) : ([3]i32, [2][2]i8, [3]bool, i32, [3]i32) =
  let a = [x, x + 1, x + 2]
  let b = [[i8.i32 x, i8.i32 x + 1], [i8.i32 x + 2, i8.i32 x + 3]]
  let c = [x > 4, x > 5, x > 3]
  let s = i32.sum (map id a)
  let d = [s + 32, s + 42, s + 52]
  in (a, b, c, s, d)

-- Literals that are changed after they were written, and rows that are used by themselves as well.
-- ==
-- entry: changed
-- input { 1i64 7i64 } output { [0i64, 7i64, 0i64] [[0i64, 1i64, 7i64], [9i64, 9i64, 9i64]] [0i64, 1i64, 7i64] }
entry changed (i: i64) (x: i64) : ([3]i64, [2][3]i64, [3]i64) =
  let row = [0, i, x]
  let nines = replicate 3 9
  let both = [row, nines]
  let zeros = [i - i, i - 1, 0]
  in (zeros with [i] = x, both, row)

-- Numbers that are read from an array, beside those that the host has.
-- ==
-- entry: read
-- input { 1i64 [10i32, 20i32, 30i32] } output { [20i32, 1i32, 30i32] [21i32, 1i32] }
entry read (i: i64) (xs: [3]i32) : ([3]i32, [2]i32) =
  ([xs[i], i32.i64 i, xs[i + 1]], [xs[i] + 1, i32.i64 i])

-- Literals in the branches of a conditional, and in a loop that carries them.
-- ==
-- entry: branches
-- input { 4i64 } output { [4i64, 5i64, 2i64] }
-- input { 3i64 } output { [3i64, 0i64, 1i64] }
entry branches (n: i64) : [3]i64 =
  let start = if n % 2 == 0 then [n, n + 1, 0] else [n, 0, 0]
  in loop xs = start for i < (n / 2) do [xs[0], xs[1], i + 1]

-- More elements than a kernel takes as arguments.
-- ==
-- entry: long
-- input { 3i64 } auto output
entry long (x: i64) : i64 =
  let row (y: i64) = [y, y + 1, y + 2, y + 3, y + 4, y + 5, y + 6, y + 7, y + 8, y + 9, y + 10]
  let a = [row x, row (x * 2), row (x * 3)]
  let b = [row (x + 1), row (x * 2 + 1), row (x * 3 + 1)]
  let c = [row (x + 2), row (x * 2 + 2), row (x * 3 + 2)]
  let d = [row (x + 3), row (x * 2 + 3), row (x * 3 + 3)]
  let e = [row (x + 4), row (x * 2 + 4), row (x * 3 + 4)]
  in map i64.sum (map (\i -> flatten [a[i], b[i], c[i], d[i], e[i]]) (iota 3)) |> i64.sum
