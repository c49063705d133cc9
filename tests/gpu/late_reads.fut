-- The host needs results of a reduction after it has launched a scan: also where the reduction fails, or the scan does, or both.
-- ==
-- entry: chosen
-- input { [0i64, 2i64, 1i64] [5i64, 6i64, 7i64] [1i64, 2i64, 0i64] } auto output
-- input { [0i64, 9i64, 1i64] [5i64, 6i64, 7i64] [1i64, 2i64, 0i64] } error: Index \[9\] out of bounds
-- input { [0i64, 2i64, 1i64] [5i64, 6i64, 7i64] [1i64, 4i64, 0i64] } error: Index \[4\] out of bounds
-- input { [0i64, 2i64, 0i64] [5i64, 6i64, 7i64] [1i64, 2i64, 2i64] } auto output
-- input { [0i64, 9i64, 1i64] [5i64, 6i64, 7i64] [1i64, 4i64, 0i64] } error: out of bounds
-- input { [1i64, 1i64, 1i64] [-5i64, -6i64, -7i64] [1i64, 2i64, 2i64] } auto output

entry chosen [n] (is: [n]i64) (xs: [n]i64) (js: [n]i64) : [n]i64 =
  let read = map (\i -> xs[i]) is
  let (sum, largest) = (i64.sum read, i64.maximum read)
  let ends = scan (+) 0 (map (\j -> xs[j]) js)
  in if sum > 2 * largest then map (+ sum) ends else map (* largest) ends
