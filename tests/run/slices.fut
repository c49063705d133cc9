-- Slices at their edges, and ranges.
-- ==
-- entry: strided
-- input { 5i64 0i64 5i64 2i64 } output { [0i64,2i64,4i64] }
-- input { 5i64 0i64 4i64 2i64 } output { [0i64,2i64] }
-- input { 5i64 4i64 -1i64 -3i64 } output { [4i64,1i64] }
-- input { 5i64 1i64 6i64 5i64 } output { [1i64] }
-- input { 5i64 0i64 5i64 0i64 } error: out of bounds
-- input { 5i64 0i64 5i64 9223372036854775807i64 } output { [0i64] }
-- input { 5i64 4i64 -1i64 -9223372036854775808i64 } output { [4i64] }
-- input { 5i64 4i64 -9223372036854775808i64 -1i64 } error: out of bounds
-- input { 5i64 0i64 9223372036854775807i64 1i64 } error: out of bounds
-- input { 5i64 -1i64 9223372036854775807i64 9223372036854775807i64 } error: out of bounds
-- input { 5i64 0i64 -2i64 -5i64 } error: out of bounds
-- input { 5i64 5i64 0i64 -1i64 } error: out of bounds
-- input { 5i64 9i64 9i64 2i64 } output { empty([0]i64) }

entry strided (n: i64) (i: i64) (j: i64) (s: i64) = (iota n)[i:j:s]

-- ==
-- entry: whole
-- input { 3i64 9223372036854775807i64 } output { [0i64] 1i64 }
-- input { 3i64 -9223372036854775808i64 } output { [2i64] 1i64 }
-- input { 3i64 -1i64 } output { [2i64,1i64,0i64] 3i64 }
-- input { 0i64 -1i64 } output { empty([0]i64) 0i64 }
-- input { 0i64 7i64 } output { empty([0]i64) 0i64 }
-- input { 3i64 0i64 } error: out of bounds

entry whole (n: i64) (s: i64) = let xs = (iota n)[::s] in (xs, length xs)

-- An empty slice touches nothing.
-- ==
-- entry: plain
-- input { 1i64 3i64 } output { [1i64,2i64] }
-- input { 7i64 7i64 } output { empty([0]i64) }
-- input { -2i64 -2i64 } output { empty([0]i64) }
-- input { 2i64 1i64 } error: out of bounds
-- input { 0i64 4i64 } error: out of bounds
-- input { -9223372036854775808i64 9223372036854775807i64 } error: out of bounds

entry plain (i: i64) (j: i64) = (iota 3)[i:j]

-- ==
-- entry: range_size
-- input { 5i64 } output { 5i64 6i64 false }
-- input { 0i64 } output { 0i64 1i64 true }
-- input { -5i64 } error: Range 0\.\.<-5 is invalid
-- input { 9223372036854775807i64 } error: too many elements|is invalid|too large

entry range_size (n: i64) = (length (0..<n), length (0...n), null (0..<n))

-- ==
-- entry: ranges
-- input { -9223372036854775808i64 0i64 9223372036854775807i64 } output { [-9223372036854775808i64,0i64] }
-- input { 0i64 9223372036854775806i64 9223372036854775807i64 } output { [0i64,9223372036854775806i64] }
-- input { 9223372036854775807i64 5i64 -9223372036854775808i64 } error: is invalid
-- input { 3i64 3i64 5i64 } error: is invalid
-- input { 3i64 4i64 3i64 } output { empty([0]i64) }

entry ranges (i: i64) (j: i64) (k: i64) = i..j..<k

-- ==
-- entry: range_of_bytes
-- input { -128i8 127i8 } output { 256i64 }

entry range_of_bytes (a: i8) (b: i8) = length (a...b)

-- ==
-- entry: too_long
-- input { -9223372036854775808i64 9223372036854775807i64 } error: too many elements|is invalid|too large
-- input { 1i64 4i64 } output { 3i64 }

entry too_long (a: i64) (b: i64) = length (a..<b)

-- Rows that are read from their ends are as long as the rows themselves, but not the same.
-- ==
-- entry: turned
-- input { [1i64,2i64,4i64] } output { [185i64,99i64,56i64] [69i64,112i64,198i64] [115i64,77i64,58i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]i64) empty([0]i64) }

entry turned [n] (xs: [n]i64) : ([n]i64, [n]i64, [n]i64) =
  let rows k = map (\x -> map (\y -> x * y + k) xs) xs
  let digits = map (\row -> loop s = 0 for x in row do s * 3 + x)
  in ( digits (rows 1)[::-1, ::-1]
     , digits (rows 2)[0:n, ::-1]
     , digits (rows 3)[::-1]
     )

-- Parts that a map without points would have read need not exist, and say nothing about sizes.
-- ==
-- entry: parts_that_nobody_reads
-- input { [1i64,2i64] 100000000000i64 empty([0]i64) } output { empty([0]i64) }
-- input { [1i64,2i64] 2i64 [5i64] } output { [11i64] }

entry parts_that_nobody_reads [n] [q] (xs: [n]i64) (k: i64) (ys: [q]i64) : [q]i64 =
  map (\y -> i64.sum xs[:k] + i64.sum (xs :> [k]i64) + y) ys

-- ==
-- entry: rest_of_nothing
-- input { empty([0]i64) } output { empty([0]i64) true }
-- input { [3i64] } output { [3i64] false }
-- input { [3i64, 4i64] } output { [7i64, 8i64] false }

entry rest_of_nothing [n] (xs: [n]i64) : ([n]i64, bool) =
  let ys = map (\x -> x + i64.sum (if n == 0 then [] else xs[1:])) xs
  in (ys, n == 0)

-- ==
-- entry: last_of_nothing
-- input { empty([0]i64) [2i64] true } output { empty([0]i64) }
-- input { [3i64, 4i64] [2i64] true } output { [4i64, 5i64] }

entry last_of_nothing [n] [m] (xs: [n]i64) (ys: [m]i64) (c: bool) : [n]i64 =
  map (\i -> i + i64.sum (if c then xs[n - 1:] else ys)) (iota n)
