-- How far rows are rotated is computed by a thread block, so the sizes of the parts are known only inside of it: another version, or
-- the host, has to do it.
-- ==
-- input { [[1u8, 2u8, 3u8], [250u8, 7u8, 9u8]] [5i32, 6i32, 7i32] } auto output
-- random input { [20][30]u8 [30]i32 } auto output
-- random input { [3][1]u8 [1]i32 } auto output
-- random input { [0][4]u8 [4]i32 } auto output
-- random input { [4][0]u8 [0]i32 } auto output
entry main [n][m] (bs: [m][n]u8) (us: [n]i32) : [m][n]i32 =
  map (\a -> map (\b -> i32.sum (map2 (*) a b)) (transpose (replicate (n * 2) us)))
      (map (\a -> map (\b -> reduce (\a b -> if a == 0 then b else a) 0i32 (map2 (*) a b))
                      (let y = if m == 0 then replicate n 64 else bs[n % i64.max 1 m]
                       let q = i64.u8 (if n == 0 then 0 else (scan (+) 0 y)[m % i64.max 1 n])
                       in map (rotate q) (map (\_ -> replicate m 31i32) (iota (n * 2)))))
           (map (\_ -> hist (+) 0i32 m (map (\i -> i % (m + 2) - 1) (iota n)) us) bs))
