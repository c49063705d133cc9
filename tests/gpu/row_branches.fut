-- Branches of points that return rows: a thread for each element.
-- ==
-- entry: row_or_map
-- random input { 3i64 [100]i32 [70][100]i32 } auto output
-- random input { 3i64 [0]i32 [70][0]i32 } auto output

-- ==
-- entry: pivots
-- random input { 3i64 7i64 [70][100]i32 } auto output
-- random input { 69i64 69i64 [70][100]i32 } auto output
-- random input { -1i64 7i64 [70][100]i32 } auto output

-- ==
-- entry: checked
-- input { [1i64, 0i64, 2i64] [[1, 2, 3], [4, 5, 6], [7, 8, 9]] } output { [[3, 4, 5], [0, 0, 0], [16, 17, 18]] }
-- input { [1i64, 0i64, 3i64] [[1, 2, 3], [4, 5, 6], [7, 8, 9]] } error: out of bounds
-- input { [1i64, 0i64] empty([2][0]i32) } error: out of bounds

-- ==
-- entry: chosen
-- random input { [30]bool [30][7][11]i32 [30][11][7]i32 } auto output

-- ==
-- entry: nested
-- random input { [30]i32 [30][7][11]i32 } auto output

entry row_or_map [n][m] (k: i64) (row: [m]i32) (xss: [n][m]i32) =
  map2 (\i (xs: [m]i32) : [m]i32 -> if i == k then row else map (* 2) xs) (iota n) xss

entry pivots [n][m] (k: i64) (p: i64) (a: [n][m]i32) =
  if k < 0 || k >= n || k >= m || p < 0 || p >= n then a else
  let top = a[p]
  let other = a[k]
  in tabulate n (\i -> if i == k then map (/ 3) top else
                       let row = if i == p then other else a[i]
                       in map2 (\x y -> x - row[k] * y) row top)

entry checked [n][m] (is: [n]i64) (xss: [n][m]i32) =
  map2 (\i (xs: [m]i32) : [m]i32 -> if i > 0 then map (+ xs[i]) xs else replicate m 0) is xss

entry chosen [n][m][k] (cs: [n]bool) (xsss: [n][m][k]i32) (ysss: [n][k][m]i32) =
  map3 (\c xss yss -> if c then xss else transpose yss) cs xsss ysss

-- A row of a side is itself made by branches that return rows.
entry nested [n][m][k] (cs: [n]i32) (xsss: [n][m][k]i32) =
  map2 (\c (xss: [m][k]i32) : [m][k]i32 ->
          if c % 3 == 0 then xss
          else map2 (\i (xs: [k]i32) : [k]i32 -> if i % 2 == 0 then map (+ c) xs else replicate k (i32.i64 i)) (iota m) xss)
       cs xsss
