-- `only_intra` asks for one version, in thread blocks. Rows that do not fit the device are an error, unless there are none of them.
-- ==
-- entry: main
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [[7i32, 8i32, 9i32], [19i32, 20i32, 21i32]] }
-- input { empty([0][0]i32) } output { empty([0][0]i32) }
-- input { empty([0][100000000]i32) } output { empty([0][100000000]i32) }
-- input { empty([3][0]i32) } output { empty([3][0]i32) }
-- random input { [2][4000000]i32 } error: shared memory
entry main [m] [n] (xss: [m][n]i32) : [m][n]i32 =
  #[flattening(only_intra)]
  map (\xs -> let ys = opaque (map (+ 1) xs)
              let s = reduce (+) 0 ys - i32.i64 n
              in map (+ s) xs) xss

-- Rows of sums side by side, which need a thread for each element.
-- ==
-- entry: sums
-- input { [[[1i32, 2i32], [3i32, 4i32]]] } output { [[3i32, 7i32]] }
-- random input { [1][3][300000]i32 } error: threads
entry sums [k] [m] [n] (xsss: [k][m][n]i32) : [k][m]i32 =
  #[flattening(only_intra)]
  map (\xss -> let yss = opaque (map (map (+ 1)) xss)
               in map (\ys -> reduce (+) 0 ys - i32.i64 n) yss) xsss
