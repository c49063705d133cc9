-- What follows a scan at the same points, in the scan's own kernel: maps, filters, partitions.
-- ==
-- entry: doubled both shifted by_rows pair_sums counted
-- input { empty([0]i32) } auto output
-- random input { [1]i32 } auto output
-- random input { [20001]i32 } auto output

-- ==
-- entry: kept kept_of_map parted scattered
-- input { empty([0]i32) } auto output
-- random input { [1]i32 } auto output
-- random input { [7168]i32 } auto output
-- random input { [100001]i32 } auto output

-- ==
-- entry: kept_small
-- random input { [10001]i8 } auto output

-- ==
-- entry: kept_none
-- random input { [20001]i32 } output { empty([0]i32) }

-- ==
-- entry: rows
-- random input { [50][300]i32 } auto output
-- random input { [2][20001]i32 } auto output
-- random input { [20][0]i32 } auto output

-- ==
-- entry: looked_up
-- input { [1, 2, 0] [10, 20, 30, 40] } output { [20, 40, 40] }
-- input { [1, 2, 1] [10, 20, 30, 40] } error: out of bounds

entry doubled (xs: []i32) = scan (+) 0 xs |> map (* 2)

-- The sums are needed as well.
entry both (xs: []i32) = let s = scan (+) 0 xs in (s, map (^ 5) s)

-- Not at the same points.
entry shifted (xs: []i32) = let s = scan (+) 0 xs in map (\i -> if i == 0 then 0 else s[i - 1]) (indices xs)

entry by_rows [n] (xs: [n]i32) = scan (+) 0 xs |> map2 (\i s -> s + i32.i64 i) (iota n)

def compose (a: i32, b: i32) (c: i32, d: i32) = (a * c, b * c + d)
entry pair_sums (xs: []i32) = map (\x -> (x | 1, x >> 3)) xs |> scan compose (1, 0) |> map (uncurry (-))

-- The last sum is read on the host, and nothing is written anywhere but at the points.
entry counted (xs: []i32) =
  let s = scan (+) 0 (map (\x -> i64.bool (x > 0)) xs)
  in (if null s then 0 else last s, map (\k -> i32.i64 k) s)

entry kept (xs: []i32) = filter (> 0) xs
entry kept_small (xs: []i8) = filter (\x -> x % 3 == 0) xs
entry kept_none (xs: []i32) = filter (\x -> x != x) xs
entry kept_of_map (xs: []i32) = map (\x -> (x, i64.i32 x * 3)) xs |> filter (\(x, y) -> y % 2 == 0 && x > 5) |> unzip
entry parted (xs: []i32) = partition (\x -> x % 3 == 0) xs

-- To places that only the scan knows, into an array that is there already.
entry scattered [n] (xs: [n]i32) =
  let is = scan (+) 0 (map (\x -> i64.i32 (x & 1)) xs)
  in scatter (map (\x -> x) xs) (map2 (\x i -> if x & 1 == 1 then i - 1 else -1) xs is) xs

entry rows (xss: [][]i32) = map (\xs -> scan (+) 0 xs |> map2 (*) xs) xss

-- A check that can fail after the scan.
entry looked_up [n] (is: []i32) (xs: [n]i32) = scan (+) 0 is |> map (\i -> xs[i])

-- Threads that scan make rows of their own, in memory for all threads of the grid.
-- ==
-- entry: beside_rows
-- input { 3i64 5i64 } auto output
-- input { 2i64 700i64 } auto output
entry beside_rows (m: i64) (n: i64): ([n]i64, [n][m][n]i64) =
  let (mats, sums) =
    unzip (map (\j -> let row = replicate n j with [j] = 7
                      in (replicate m (replicate n m) with [0] = row, j))
               (iota n))
  in (scan (+) 0 sums, mats)
