-- The points of a thread read their places, check these and read the elements there, several points at a time.
-- ==
-- entry: vector rows sums
-- input { 1000i64 600000i64 } auto output
-- input { 7i64 600001i64 } auto output
-- input { 3i64 0i64 } auto output
-- input { 3i64 5i64 } auto output

def place (n: i64) (i: i64) : i64 = (i * 7919 + 13) % n
def number (i: i64) : i32 = i32.i64 ((i * 7919) % 1021)

entry vector (n: i64) (k: i64) =
  let (xs, is) = opaque (tabulate n number, tabulate k (place n))
  in map (\i -> xs[i] * 2) is
entry rows (n: i64) (k: i64) =
  let (xs, is) = opaque (tabulate_2d n 33 (\i j -> number (i + 31 * j)), tabulate (k / 10) (place n))
  in map (\i -> xs[i]) is
entry sums (n: i64) (k: i64) =
  let (xs, ys, is) = opaque (tabulate n number, tabulate (n + 1) number, tabulate k (place n))
  in map2 (\i j -> i64.i32 (xs[i] + ys[i + 1]) + j) is (iota k)

-- A place that is none is found, whichever point has it.
-- ==
-- entry: beyond
-- input { 100i64 600000i64 599999i64 } error: out of bounds
-- input { 100i64 600000i64 0i64 } error: out of bounds
-- input { 100i64 600000i64 300000i64 } error: out of bounds
-- input { 100i64 600000i64 600000i64 } auto output

entry beyond (n: i64) (k: i64) (bad: i64) =
  let (xs, is) = opaque (tabulate n number, tabulate k (\i -> if i == bad then n else place n i))
  in map (\i -> xs[i]) is
