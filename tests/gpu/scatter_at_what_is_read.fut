-- Where a scatter writes is computed from the same numbers as what it reads.
-- ==
-- entry: backwards
-- input { [4i64, 5i64, 6i64] 7i64 } output { [6i64, 7i64, 7i64] }
-- input { empty([0]i64) 7i64 } output { empty([0]i64) }

-- ==
-- entry: shifted
-- input { [4i64, 5i64, 6i64] 1i64 } output { [0i64, 5i64, 6i64] }

entry backwards [n] (xs: [n]i64) (x: i64) : [n]i64 =
  scatter (replicate n x) (map (\i -> i * (-1)) (iota n)) (reverse xs)

entry shifted [n] (xs: [n]i64) (k: i64) : [n]i64 =
  scatter (replicate n 0) (map (+ k) (iota n)) (map (\i -> if i + k < n then xs[i + k] else 0) (iota n))
