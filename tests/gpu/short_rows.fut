-- Very many rows of very few elements: a thread reduces several. The tuning file makes that worth it for fewer.
-- ==
-- entry: sums bytes both
-- random input { [40001][1]i32 } auto output
-- random input { [40001][7]i32 } auto output
-- random input { [40001][0]i32 } auto output

-- ==
-- entry: planes
-- random input { [7][91][70][1]i32 } auto output
-- random input { [7][91][70][3]i32 } auto output

entry sums [n] [m] (xss: [n][m]i32) = map i32.sum xss
entry bytes [n] [m] (xss: [n][m]i32) = map (\xs -> i8.sum (map i8.i32 xs)) xss

-- The second operator does not commute, and the third result is kept as it is.
entry both [n] [m] (xss: [n][m]i32) =
  unzip3 (map (\xs -> let ys = map (+ 1) xs
                      in (i32.maximum ys, reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip xs ys) |> (.1), ys)) xss)

entry planes [a] [b] [c] [m] (xssss: [a][b][c][m]i32) = map (map (map i32.sum)) xssss
