-- Scans: one segment and many, across tiles, commutative and not.
-- ==
-- entry: sums
-- input { empty([0]i32) } auto output
-- random input { [1]i32 } auto output
-- random input { [4096]i32 } auto output
-- random input { [300001]i32 } auto output

-- ==
-- entry: sums_i8
-- random input { [10001]i8 } auto output

-- ==
-- entry: pairs
-- random input { [300001]i32 } auto output

-- ==
-- entry: counters
-- input { empty([0]i32) } auto output
-- random input { [1]i32 } auto output
-- random input { [150001]i32 } auto output

-- ==
-- entry: row_scans
-- random input { [100][0]i32 } auto output
-- random input { [1000][1]i32 } auto output
-- random input { [1000][7]i32 } auto output
-- random input { [100][1000]i32 } auto output
-- random input { [3][100000]i32 } auto output
-- random input { [300][16]i32 } auto output
-- random input { [7][1280]i32 } auto output
-- random input { [7][1281]i32 } auto output

-- ==
-- entry: numbered_rows
-- random input { [0][5]i32 } auto output
-- random input { [5][0]i32 } auto output
-- random input { [5000][1]i32 } auto output
-- random input { [2000][3]i32 } auto output
-- random input { [200][257]i32 } auto output
-- random input { [3][40001]i32 } auto output

-- ==
-- entry: row_pairs
-- random input { [50][3000]i32 } auto output

-- ==
-- entry: two_scans
-- random input { [10001]i32 } auto output

-- ==
-- entry: positives
-- input { empty([0]i32) } auto output
-- random input { [100001]i32 } auto output

-- ==
-- entry: sorted_by_sign
-- random input { [100001]i32 } auto output

-- ==
-- entry: columns
-- random input { [100][33]i32 } auto output

entry sums (xs: []i32) = scan (+) 0 xs
entry sums_i8 (xs: []i8) = scan (+) 0 xs
def compose (a: i32, b: i32) (c: i32, d: i32) = (a * c, b * c + d)
entry pairs (xs: []i32) = scan compose (1, 0) (map (\x -> (x | 1, x >> 3)) xs) |> unzip
-- Small numbers, which a tile adds in 32 bits; all of them together have more. The last ones are not small.
entry counters (xs: []i32) =
  let small = map (\x -> if x > 0 then -3i64 else if x % 2 == 0 then 7 else 32768) xs
  let flags = map (\x -> (i64.bool (x > 9), i64.bool (x < 0))) xs
  let (over, under) = unzip (scan (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) flags)
  in (scan (+) 0 small, over, under, scan (+) 0 (map i64.i32 xs))
entry row_scans (xss: [][]i32) = map (scan (+) 0) xss
-- What is scanned depends on the place in the row and on the row.
entry numbered_rows [n][m] (xss: [n][m]i32) =
  map2 (\i xs -> scan (+) 0 (map2 (\j x -> x ^ i32.i64 (i * 3 - j)) (iota m) (reverse xs))) (iota n) xss
entry row_pairs (xss: [][]i32) = map (\xs -> scan compose (1, 0) (map (\x -> (x | 1, x >> 3)) xs) |> unzip) xss |> unzip
entry two_scans (xs: []i32) = (scan i32.max i32.lowest xs, scan (+) 0 (map (>> 4) xs))
entry positives (xs: []i32) = filter (> 0) xs
entry sorted_by_sign (xs: []i32) = partition (< 0) xs
entry columns [n][m] (xss: [n][m]i32) = scan (map2 (+)) (replicate m 0) xss

-- In a block, with memory for each thread: as many threads as the scan has points, more than blocks usually have.
-- ==
-- entry: before_in_blocks
-- input { 0i64 } auto output
-- input { 3i64 } auto output
-- compiled input { 17i64 } auto output
-- compiled input { 30i64 } auto output
entry before_in_blocks (n: i64) : [7][n][n]i64 =
  map (\k -> exscan (map2 (+)) (replicate n 0) (tabulate_2d n n (\i j -> i + j + k))) (iota 7)

-- Tiles publish values of all widths, and several at once.
-- ==
-- entry: widths
-- input { 0i64 } auto output
-- input { 1i64 } auto output
-- input { 5000i64 } auto output
-- input { 70001i64 } auto output
entry widths (n: i64) =
  let halves = scan f16.max f16.lowest (tabulate n (\i -> f16.i64 (i * 37 % 1001)))
  let shorts = scan (+) 0 (tabulate n (\i -> i16.i64 (i % 77)))
  let parities = scan (!=) false (tabulate n (\i -> i % 3 == 0))
  let doubles = scan (+) 0 (tabulate n (\i -> f64.i64 (i % 7 - 3) * 1e10))
  let longs = scan (+) 0 (tabulate n (* 0x123456789))
  let (as, bs, cs, ds) =
    scan (\(a, b, c, d) (e, f, g, h) -> (i64.max a e, b + f, f64.min c g, d || h))
         (i64.lowest, 0i8, f64.inf, false)
         (tabulate n (\i -> (i * 77 % 1009, i8.i64 i, f64.i64 (i * 31 % 97), i == 4999)))
    |> unzip4
  in (halves, shorts, parities, doubles, longs, as, bs, cs, ds)
