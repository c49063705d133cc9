-- Thread blocks for what runs in loops: what runs once takes several points of a thread, and steps have a thread for each point.
-- ==
-- entry: thirds
-- input { empty([0][7]i32) } auto output
-- random input { [5][50]i32 } auto output
-- random input { [3][1]i32 } auto output
-- random input { [300][1000]i32 } auto output

-- ==
-- entry: pairs
-- random input { [1][64]i32 } auto output
-- random input { [70][64]i32 } auto output

entry thirds [n] [m] (xss: [n][m]i32) : ([n][m]i32, [n]i32) =
  unzip (map (\xs ->
                let ys = map (\x -> x * x + 1) xs
                let h = m / 3
                let zs = loop zs = take h ys for s < 5i32 do map (\z -> z * 3 + s) zs
                let t = reduce (+) 0 zs
                in (map2 (\y i -> y + t + (if i < h then zs[i] else 0)) ys (iota m), t))
             xss)

entry pairs [n] (xss: [n][64]i32) : [n][64]i32 =
  map (\xs ->
         let ys = map2 (\x i -> x * 2 + i32.i64 i) xs (iota 64)
         in loop ys for s < 6i64 do
              let d = 1 << s
              let (a, b, i, j) =
                unzip4 (map (\k -> let i = (k / d) * 2 * d + k % d
                                   in (ys[i] + ys[i + d], ys[i] - ys[i + d], i, i + d))
                            (iota 32))
              in scatter (scatter (copy ys) i a) j b)
      xss
