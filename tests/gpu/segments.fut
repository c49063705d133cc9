-- Reductions of rows of every size, so many of them that threads, parts of warps and blocks take turns.
-- ==
-- entry: sums firsts pairs
-- random input { [70000][9]i32 } auto output
-- random input { [40000][16]i32 } auto output
-- random input { [20000][31]i32 } auto output
-- random input { [20000][33]i32 } auto output
-- random input { [9001][100]i32 } auto output
-- random input { [3001][257]i32 } auto output
-- random input { [2100][1000]i32 } auto output
-- random input { [2049][4096]i32 } auto output
-- random input { [100][100]i32 } auto output
-- random input { [40000][0]i32 } auto output
entry sums [n][m] (xss: [n][m]i32) = map i32.sum xss
-- Not commutative: the last that is not zero.
entry firsts [n][m] (xss: [n][m]i32) = map (reduce (\a b -> if b % 3 == 0 then a else b) 0) xss
entry pairs [n][m] (xss: [n][m]i32) = map (\xs -> let (a, b) = unzip (map (\x -> (x, i8.i32 x)) xs) in (i32.maximum a, i8.sum b)) xss |> unzip
