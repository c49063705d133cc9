-- Threads that go along rows of their own, by several elements at a time: rows of any length and alignment, elements of any size, from the
-- beginning or not, two arrays at a time, and none.
-- ==
-- entry: rows
-- input { [[1f32, 2f32, 4f32, 8f32, 16f32, 32f32, 64f32], [2f32, 4f32, 8f32, 16f32, 32f32, 64f32, 128f32], [0f32, 0f32, 0f32, 0f32, 0f32, 0f32, 1f32]] }
-- output { [85.328125f32, 170.65625f32, 1f32] }
-- input { empty([0][5]f32) } output { empty([0]f32) }
-- input { empty([3][0]f32) } output { [0f32, 0f32, 0f32] }

-- ==
-- entry: rows_of_one
-- input { 1i64 } output { 0i64 }
-- input { 2i64 } output { 0i64 }
-- input { 3i64 } output { 0i64 }
-- input { 4i64 } output { 0i64 }
-- input { 5i64 } output { 0i64 }
-- input { 31i64 } output { 0i64 }
-- input { 64i64 } output { 0i64 }

-- ==
-- entry: differences
-- input { 37i64 41i64 } output { 37i64 }
-- input { 16i64 64i64 } output { 16i64 }
-- input { 5i64 1i64 } output { 5i64 }

-- Places that wrap around.
-- ==
-- entry: wrapped_in_step wrapped_along
-- input { 131i64 } auto output
-- input { 260i64 } auto output

def decayed [m] (xs: [m]f32) : f32 = loop s = 0 for i < m do s * 0.5 + xs[i]

entry rows [n] [m] (a: [n][m]f32) : [n]f32 = #[sequential_inner] map decayed a

-- How many rows have the sum that they must have.
def right 't [n] [m] (f: t -> i64) (a: [n][m]t) (b: [n]i64) : i64 =
  let sums = #[sequential_inner] map (\xs -> loop s = 0 for i < m do s * 3 + f xs[i]) a
  in i64.sum (map2 (\x y -> i64.bool (x == y)) sums b)

entry rows_of_one (m: i64) : i64 =
  let n = 1 + m / 31 + m
  let number i j = (i * 7 + j * 5) % 11
  let wanted = tabulate n (\i -> loop s = 0 for j < m do s * 3 + number i j)
  let a = opaque (tabulate_2d n m number)
  in 6 * n
     - (right i64.i8 (opaque (map (map i8.i64) a)) wanted
        + right i64.i16 (opaque (map (map i16.i64) a)) wanted
        + right i64.f16 (opaque (map (map f16.i64) a)) wanted
        + right i64.f32 (opaque (map (map f32.i64) a)) wanted
        + right i64.f64 (opaque (map (map f64.i64) a)) wanted
        + right id a wanted)

-- Two arrays of elements of different sizes, one of them from the second element on.
entry differences (n: i64) (m: i64) : i64 =
  let a = opaque (tabulate_2d n m (\i j -> f64.i64 (i * m + j)))
  let b = opaque (tabulate_2d n (m + 1) (\i j -> f32.i64 (i + j)))
  let got = #[sequential_inner] map2 (\xs ys -> loop s = 0 for i < m do s * 0.5 + xs[i] - f64.f32 ys[i + 1]) a b
  let wanted = tabulate n (\i -> loop s = 0 for j < m do s * 0.5 + f64.i64 (i * m + j) - f64.i64 (i + j + 1))
  in i64.sum (map2 (\x y -> i64.bool (x == y)) got wanted)

def numbers (n: i64) : [n]i32 = opaque (map i32.i64 (iota n))

entry wrapped_in_step (m: i64) : []i32 =
  let (xs, ys) = (numbers 260, numbers 260)
  in tabulate 3 (\_ -> loop s = 0 for i < m do let z = 129 + i64.i8 (i8.i64 i) in #[unsafe] (s * 3 + xs[z] * ys[z]))

entry wrapped_along (m: i64) : []i32 =
  let xss = opaque (tabulate_2d 3 260 (\i j -> i32.i64 (i + j)))
  in #[sequential_inner] map (\xs -> loop s = 0 for i < m do s * 3 + #[unsafe] xs[128 + i64.i8 (i8.i64 (i + 1))]) xss
