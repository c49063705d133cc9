-- What the host writes to memory of the device element by element, and copies of a few bytes: in loops, more than go there at a time,
-- and where one of them needs or replaces what another has written. What it reads of neighbours, before and after they change.
-- ==
-- entry: gates
-- input { 1i64 40i64 } auto output
-- input { 100i64 40i64 } auto output
-- entry: many
-- input { 3i64 } auto output
-- entry: chained
-- input { [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] 25i64 } auto output
-- entry: bytes
-- input { [1u8, 2u8, 3u8, 4u8, 5u8] 20i64 } auto output
-- entry: rows
-- input { [[1f64, 2f64, 3f64], [4f64, 5f64, 6f64], [7f64, 8f64, 9f64]] 20i64 } auto output
-- entry: neighbours
-- input { [5i64, 3i64, 8i64, 1i64, 9i64, 2i64, 7i64, 4i64, 6i64, 0i64] 9i64 } auto output

-- A matrix of scalars of the host in each iteration.
entry gates (m: i64) (n: i64) : [m]f32 =
  loop xs = tabulate m f32.i64 for i < n do
    let (c, s) = (f32.cos (f32.i64 i), f32.sin (f32.i64 i))
    let gate = [[1, 0, 0], [0, c, -s], [0, s, c]]
    in tabulate m (\j -> #[unsafe] xs[j] * gate[j % 3, (j + i) % 3] + xs[(j + 1) % m] * gate[(j + 1) % 3, i % 3])

-- More elements than go to the device at a time, side by side and not.
entry many (n: i64) =
  let xs =
    [ n, n + 1, n * 2, n * 3, n * 5, n - 4, n - 5, n - 6, n * n, n + 9
    , n + 10, n + 11, n + 12, n + 13, n + 14, n + 15, n + 16, n + 17, n + 18, n + 19
    , n + 20, n + 21, n + 22, n + 23, n + 24, n + 25, n + 26, n + 27, n + 28, n + 29
    , n + 30, n + 31, n + 32, n + 33, n + 34, n + 35, n + 36, n + 37, n + 38, n + 39 ]
  let ys = replicate 100 n
  let ys =
    loop ys for k < 20 do
      let ys[k * 5] = n + k
      let ys[99 - k * 5] = n - k
      in ys
  in (map (+ 1) xs, map (* 2) ys)

-- A write after a copy from there, a copy of what was written, and the same element twice.
entry chained (xs: *[]i32) (n: i64) =
  let n32 = i32.i64 n
  let xs[3] = xs[2]
  let xs[2] = n32 - 1
  let xs[5] = xs[1]
  let xs[1] = n32
  let xs[0] = n32 + 7
  let xs[0] = n32 + 1
  let xs[4] = n32 - 2
  let ys = copy xs
  let ys[1] = 7
  in (xs, ys)

-- Narrow elements in places that are no multiples of words.
entry bytes (xs: *[]u8) (n: i64) =
  let xs[4] = xs[1]
  let xs[0] = u8.i64 n
  let xs[3] = u8.i64 (n - 1)
  let bs = [n > 3, n > 4, n > 40, n > 5]
  let hs = [f16.i64 n, 1.5f16]
  in (map (+ 1) xs, map (\b -> !b) bs, map (* 2) hs)

-- Rows that are exchanged, and one that is replaced, in each iteration.
entry rows [k] (xss: *[k][3]f64) (n: i64) =
  loop xss for i < n do
    let first = copy xss[0]
    let xss[0] = copy xss[i % k]
    let xss[i % k] = first
    let xss[(i + 1) % k, 1] = f64.i64 i
    in map (map (+ 1)) xss

-- The host needs each element to go on.
entry neighbours [k] (xs: *[k]i64) (n: i64) =
  let (i, steps) = loop (i, steps) = (0, 0) while steps < n do (length (filter (< xs[i]) xs), steps + xs[(i + 1) % k] % 3 + 1)
  let s = loop s = 0 for j < xs[4] do s + length (filter (< j) xs)
  let xs[1] = s
  let t = if xs[0] < xs[1] then xs[2] else length (filter (> xs[3]) xs)
  in (i, steps, s, length (iota (xs[1] + t)))
