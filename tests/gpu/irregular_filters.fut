-- Filters at points whose elements are few, end where a chunk of conditions does, or fill many of them.
-- ==
-- entry: sums
-- input { [3i64, 0i64, 1i64, 63i64, 64i64, 65i64, 0i64, 127i64, 128i64, 129i64, 1000i64, 0i64] } auto output
-- input { [0i64, 0i64] } output { [0i64, 0i64] }
-- input { empty([0]i64) } output { empty([0]i64) }

-- ==
-- entry: parts
-- input { [3i64, 0i64, 1i64, 63i64, 64i64, 65i64, 0i64, 127i64, 128i64, 129i64, 1000i64, 0i64] } auto output

-- ==
-- entry: rows
-- input { 5i64 64i64 } auto output
-- input { 3i64 100i64 } auto output
-- input { 2i64 7i64 } auto output
-- input { 0i64 7i64 } auto output
-- input { 4i64 0i64 } auto output

-- ==
-- entry: pairs
-- input { [3i64, 0i64, 70i64, 200i64, 64i64] } auto output

-- Some are kept, and none or all of other points.
entry sums (ns: []i64) : []i64 =
  #[flattening(only_inner)]
  map (\n -> let xs = filter (\x -> (x * 7 + n) % 5 < n % 6) (iota n) in i64.sum (scan (+) 0 xs) + 1000 * length xs) ns

entry parts (ns: []i64) : []i64 =
  #[flattening(only_inner)]
  map (\n -> let (small, large, rest) = partition2 (\x -> x % 7 < 2) (\x -> x % 7 < 4) (map (\i -> i * 3) (iota n))
             in i64.sum (scan (+) 0 small) + 3 * i64.sum (scan (+) 0 large) + 5 * i64.sum (scan i64.max 0 rest) + length large)
      ns

-- All points have as many elements, but keep different ones.
entry rows (n: i64) (m: i64) : []i64 =
  #[flattening(only_inner)]
  map (\p -> let xs = filter (\x -> (x + p) % 3 == 0) (iota m) in i64.sum (scan (+) 0 xs)) (iota n)

-- Rows are kept.
entry pairs (ns: []i64) : []i64 =
  #[flattening(only_inner)]
  map (\n -> let xs = filter (\x -> (x[0] + x[1]) % 4 == 1) (map (\i -> [i, i / 3]) (iota n))
             in i64.sum (map (\x -> x[0] * x[1]) xs) + i64.sum (flatten xs))
      ns
