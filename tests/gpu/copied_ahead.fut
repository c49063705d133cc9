-- What thread blocks copy to shared memory while they go on, and then read and change.
-- ==
-- entry: changed in_branch
-- random input { [3][5]i32 } auto output
-- random input { [2][300]i32 } auto output
-- random input { [1][1030]i32 } auto output
-- random input { [2][1]i32 } auto output
-- random input { [2][0]i32 } auto output

-- Each step reads what other threads have copied or written, and writes some of it.
entry changed [k] [b] (xs: [k][b]i32) : [][]i32 =
  #[incremental_flattening(only_intra)]
  map (\x ->
         #[unsafe]
         let a = map (\i -> x[b - 1 - i]) (iota b)
         in loop a for j < 3 do
              let v = map (\i -> a[(i + 1) % b] + 1) (iota b)
              in scatter a (map (\i -> (i + j) % b) (iota b)) v)
      xs

-- Only some blocks copy; all read what the branch returns.
entry in_branch [k] [b] (xs: [k][b]i32) : [][]i32 =
  #[incremental_flattening(only_intra)]
  map2 (\g x ->
          #[unsafe]
          let q =
            if g % 2 == 0
            then let a = map (\i -> x[b - 1 - i]) (iota b)
                 in scatter a (map (* 2) (iota b)) (map (\i -> x[i] * 2) (iota b))
            else map (\i -> x[(i + 1) % b] + 1) (iota b)
          let t = scatter (map (+ 1) q) (map (* 2) (iota b)) (map (\i -> q[b - 1 - i]) (iota b))
          in map (\i -> q[(i + 1) % b] + t[(i + 2) % b]) (iota b))
       (iota k)
       xs
