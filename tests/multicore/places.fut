-- Histograms and scatters give the same for any number of threads.

def number (seed: i64) (i: i64) : i64 = ((i + seed) * 6364136223846793005 + 1442695040888963407) >> 33

entry few_bins (n: i64) : []i64 = hist (+) 0 10 (map (\i -> number 1 i % 12 - 1) (iota n)) (iota n)

entry many_bins (n: i64) : []i64 = hist i64.max 0 (2 * n + 1) (map (\i -> number 1 i % (2 * n + 1)) (iota n)) (iota n)

entry costly_bins (n: i64) : []i64 =
  let at i = loop x = i for k < 20 do (x * 1103515245 + 12345 + k) % 2147483648
  in hist (+) 0 100 (map (\i -> at i % 100) (iota n)) (iota n)

-- The greatest value and where it first was.
entry pairs (n: i64) : ([]i64, []i64) =
  let op (a: (i64, i64)) (b: (i64, i64)) =
    if a.0 > b.0 || (a.0 == b.0 && a.1 < b.1) then a else b
  in unzip (reduce_by_index (replicate 17 (i64.lowest, i64.highest)) op (i64.lowest, i64.highest)
                            (map (\i -> number 3 i % 17) (iota n)) (map (\i -> (number 4 i % 1000, i)) (iota n)))

entry rows (n: i64) : [][3]i64 =
  reduce_by_index (replicate 5 (replicate 3 0)) (map2 (+)) (replicate 3 0) (map (\i -> number 5 i % 5) (iota n))
                  (map (\i -> [i, number 6 i % 10, 1]) (iota n))

entry many_rows (n: i64) : [][3]i64 =
  reduce_by_index (replicate n (replicate 3 0)) (map2 (+)) (replicate 3 0) (map (\i -> number 5 i % n) (iota n))
                  (map (\i -> [i, number 6 i % 10, 1]) (iota n))

entry plane (n: i64) : [][]i64 =
  reduce_by_index_2d (replicate 7 (replicate 9 0)) (+) 0
                     (map (\i -> (number 1 i % 8, number 2 i % 9)) (iota n)) (map (const 1) (iota n))

entry wide_plane (n: i64) : i64 =
  let h = reduce_by_index_2d (replicate 100 (replicate (n / 10) 1)) (+) 0
                             (map (\i -> (number 1 i % 100, number 2 i % (n / 10))) (iota n)) (iota n)
  in i64.sum (map2 (*) (flatten h) (map (% 1009) (indices (flatten h))))

-- A permutation, and places that several elements share but agree on.
entry scattered (n: i64) : ([]i64, []bool) =
  ( scatter (replicate n (-1)) (map (\i -> (i * 7 + 3) % (n + n % 7)) (iota n)) (iota n)
  , scatter (replicate 100 false) (map (\i -> number 1 i % 50 * 2) (iota n)) (map (const true) (iota n))
  )

entry scattered_rows (n: i64) : [][2]i64 =
  scatter (replicate n [0, 0]) (map (\i -> n - i) (iota n)) (map (\i -> [i, i * i]) (iota n))

entry filtered (n: i64) : []i64 = filter (\x -> x % 3 == 0) (map (number 9) (iota n))

entry parts (n: i64) : ([]i64, []i64) = partition (\x -> x % 5 < 2) (map (number 11) (iota n))
