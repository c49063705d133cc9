-- Columns that are scanned, reduced and mapped several times: blocks have 32 of them, a column for each lane of their warps. The tuning file makes sure that they do, however
-- few columns there are.

def grid (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 ((i * 7919 + j * 104729) % 1009))

-- ==
-- entry: scans reductions both_ways not_turned several wide two_outside operators halves
-- input { 0i64 40i64 } auto output
-- input { 5i64 0i64 } auto output
-- input { 1i64 32i64 } auto output
-- input { 7i64 33i64 } auto output
-- input { 40i64 31i64 } auto output
-- input { 64i64 70i64 } auto output
-- input { 100i64 64i64 } auto output
-- input { 128i64 33i64 } auto output
-- input { 129i64 40i64 } auto output
-- input { 256i64 32i64 } auto output
-- input { 257i64 35i64 } auto output
-- input { 512i64 32i64 } auto output
-- input { 515i64 33i64 } auto output
-- input { 1000i64 34i64 } auto output
-- input { 1024i64 32i64 } auto output
-- input { 1025i64 33i64 } auto output
-- input { 2500i64 40i64 } auto output
entry scans (n: i64) (m: i64) : [m][n]i32 =
  #[flattening(only_intra)] map (\xs -> scan (+) 0 (scan i32.max 0 xs)) (transpose (opaque (grid n m)))

entry reductions (n: i64) (m: i64) : [m][n]i32 =
  let f xs =
    let most = i32.maximum xs
    let es = map (\x -> (most - x) * 3 + 1) xs
    let sum = i32.sum es
    in map (\e -> e * e - sum) es
  in #[flattening(only_intra)] map f (transpose (opaque (grid n m)))

-- What is in order along columns is turned when it is read.
entry both_ways (n: i64) (m: i64) : [m][n]i32 =
  let f xs ys =
    let dot = i32.sum (map2 (*) xs ys)
    in map2 (\x y -> x - y + dot) xs (scan (+) 0 ys)
  in #[flattening(only_intra)] map2 f (transpose (opaque (grid n m))) (opaque (grid m n))

-- Results that are in order beside columns are not turned.
entry not_turned (n: i64) (m: i64) : [n][m]i32 =
  let f xs = let least = i32.minimum xs in scan (+) 0 (map (\x -> x - least) xs)
  in transpose (#[flattening(only_intra)] map f (transpose (opaque (grid n m))))

-- Scalars of a column, from before and after, and several rows.
entry several (n: i64) (m: i64) : ([m]i32, [m][n]i32, [m]i32, [m][n]i32) =
  let ws = opaque (tabulate m (\j -> i32.i64 (j % 13)))
  let f w xs =
    let sum = w + i32.sum xs
    let ys = map (\x -> x * w + sum) xs
    let top = i32.maximum ys
    in (sum, ys, top, map (\y -> top - y) ys)
  in unzip4 (#[flattening(only_intra)] map2 f ws (transpose (opaque (grid n m))))

-- Elements of other sizes.
entry wide (n: i64) (m: i64) : ([m][n]i64, [m][n]u8, [m][n]f64) =
  let f xs =
    let sums = scan (+) 0 (map i64.i32 xs)
    let bytes = map u8.i64 sums
    let low = u8.minimum bytes
    in (sums, map (\b -> b - low) bytes, map f64.i64 sums)
  in unzip3 (#[flattening(only_intra)] map f (transpose (opaque (grid n m))))

-- Columns of several matrices.
entry two_outside (n: i64) (m: i64) : [3][m][n]i32 =
  let a = opaque (tabulate_3d 3 n m (\b i j -> i32.i64 ((b * 31 + i * 7919 + j * 104729) % 1009)))
  let f b xs = let sum = i32.sum xs in map (+ b) (scan (+) 0 (map (\x -> x * 3 - sum) xs))
  in map2 (\b as -> #[flattening(only_intra)] map (f b) (transpose as)) (map i32.i64 (iota 3)) a

-- Operators that do not commute, and of several values.
entry operators (n: i64) (m: i64) : ([m][n]i32, [m][n]i32, [m]i32) =
  let f xs =
    let ones = i32.sum (map (& 1) xs)
    let (as, bs) = unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\x -> (x % 3 + ones % 2, x)) xs))
    in (as, bs, reduce_comm i32.max 0 bs)
  in unzip3 (#[flattening(only_intra)] map f (transpose (opaque (grid n m))))

-- Every second row.
entry halves (n: i64) (m: i64) : [m][n]i32 =
  let a = opaque (tabulate_2d (2 * n) m (\i j -> i32.i64 ((i * 7919 + j * 104729) % 1009)))
  let f xs = let sum = i32.sum xs in map (+ sum) (scan i32.max 0 xs)
  in #[flattening(only_intra)] map f (transpose a[0:2 * n:2] :> [m][n]i32)
