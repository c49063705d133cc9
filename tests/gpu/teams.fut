-- Maps over rows with several reductions and maps inside, for which parts of warps are enough.

def softmax [m] (xs: [m]f32) : [m]f32 =
  let most = f32.maximum xs
  let es = map (\x -> f32.exp (x - most)) xs
  let sum = f32.sum es
  in map (/ sum) es

def grid (n: i64) (m: i64) : [n][m]f32 =
  tabulate_2d n m (\i j -> f32.i64 ((i * 7919 + j * 104729) % 1009) / 100)

-- Each row adds up to one, and the first one's elements are where they should be.
-- ==
-- entry: sums
-- input { 0i64 5i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 1000i64 9i64 } output { true }
-- input { 1001i64 16i64 } output { true }
-- input { 70i64 31i64 } output { true }
-- input { 999i64 33i64 } output { true }
-- input { 9001i64 64i64 } output { true }
-- input { 9001i64 100i64 } output { true }
-- input { 8200i64 128i64 } output { true }
-- input { 300i64 1000i64 } output { true }
-- input { 8193i64 300i64 } output { true }
entry sums (n: i64) (m: i64) : bool =
  let xss = opaque (grid n m)
  let yss = opaque (#[flattening(only_intra)] map softmax xss)
  let good ys xs =
    let all = loop sum = 0 for x in xs do sum + f32.exp x
    in f32.abs (f32.sum ys - 1) < 1e-3 && and (map2 (\y x -> f32.abs (y - f32.exp x / all) < 1e-4) ys xs)
  in and (map2 good yss xss)

-- A number and a row of bytes; an operator that does not commute.
-- ==
-- entry: others
-- input { 3i64 7i64 } output { [6i64, 6i64, 6i64] [[0u8, 1u8, 2u8, 3u8, 4u8, 5u8, 6u8], [10u8, 11u8, 12u8, 13u8, 14u8, 15u8, 16u8], [20u8, 21u8, 22u8, 23u8, 24u8, 25u8, 26u8]] }
entry others (n: i64) (m: i64) : ([n]i64, [n][m]u8) =
  let f xs =
    let last = reduce (\a b -> if b == i64.highest then a else b) i64.highest xs
    let least = i64.minimum xs
    let rest = map (\x -> u8.i64 (x + last - least - 6)) xs
    in (last - least, rest)
  in unzip (#[flattening(only_intra)] map f (tabulate_2d n m (\i j -> i * 10 + j)))

-- Words of eight bytes, and what each row reads besides.
-- ==
-- entry: scaled
-- input { 33i64 30i64 } output { true }
-- input { 9001i64 40i64 } output { true }
-- input { 2i64 500i64 } output { true }
entry scaled (n: i64) (m: i64) : bool =
  let xss = tabulate_2d n m (\i j -> f64.i64 (i * m + j))
  let ks = tabulate n (\i -> f64.i64 (i + 1))
  let f k xs =
    let total = f64.sum xs
    let ys = map (* k) xs
    let most = f64.maximum ys
    in map (\y -> (y - most) / total) ys
  let yss = #[flattening(only_intra)] map2 f ks xss
  let total i = f64.i64 (i * m * m + m * (m - 1) / 2)
  let good i j =
    let y = f64.i64 (i + 1) * f64.i64 (j - m + 1) / total i
    in f64.abs (yss[i, j] - y) < 1e-6
  in and (flatten (tabulate_2d n m good))
