-- Histograms in device memory that are updated slice by slice: points that go anywhere, points in order, points out of bounds. The tuning file makes slices small.
-- ==
-- entry: sums halves pairs
-- random input { 100000i64 [150000]i32 [150000]i8 } auto output
-- random input { 99999i64 [2]i32 [2]i8 } auto output
-- input { 1000i64 empty([0]i32) empty([0]i8) } auto output

-- ==
-- entry: in_order
-- input { 100000i64 150000i64 } auto output

-- ==
-- entry: rows
-- random input { 50000i64 [3][40000]i32 [3][40000]i8 } auto output

def bin m (i: i32) = i64.i32 i % (m + 3)

entry sums (m: i64) (is: []i32) (xs: []i8) = hist (+) 0 m (map (bin m) is) (map i32.i8 xs)

-- So small that they are exact in any order.
entry halves (m: i64) (is: []i32) (xs: []i8) = hist (+) 0 m (map (bin m) is) (map (\x -> f16.i8 (x & 3)) xs)

entry pairs (m: i64) (is: []i32) (xs: []i8) =
  let bins = map (bin m) is
  in (hist (+) 0 m bins xs, hist i64.max (-1) (m / 2) bins (map i64.i8 xs))

entry in_order (m: i64) (n: i64) = hist (+) 0 m (map (\i -> i * m / n) (iota n)) (map i32.i64 (iota n))

entry rows (m: i64) (iss: [][]i32) (xss: [][]i8) =
  map2 (\is xs -> hist (+) 0 m (map (bin m) is) (map i32.i8 xs)) iss xss
