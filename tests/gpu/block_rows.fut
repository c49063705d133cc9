-- Thread blocks reduce and scan rows that have more elements than a block has threads, by operators that commute and others.
-- ==
-- entry: sums_and_maxima
-- random input { [3][1]i32 } auto output
-- random input { [5][31]i32 } auto output
-- random input { [300][1023]i32 } auto output
-- random input { [257][4097]i32 } auto output
-- random input { [260][13001]i32 } auto output

-- ==
-- entry: normalised
-- random input { [4][0]i32 } auto output
-- random input { [300][1025]i32 } auto output
-- random input { [270][9000]i32 } auto output

-- ==
-- entry: last_ones
-- random input { [300][33]i32 } auto output
-- random input { [259][4099]i32 } auto output
-- random input { [256][8191]i32 } auto output

-- ==
-- entry: scanned
-- random input { [3][0]i32 } auto output
-- random input { [300][64]i32 } auto output
-- random input { [258][4096]i32 } auto output
-- random input { [256][9217]i32 } auto output

-- ==
-- entry: composed
-- random input { [300][1000]i32 } auto output
-- random input { [257][5003]i32 } auto output

-- ==
-- entry: checked
-- random input { [256][5003]i32 } auto output

entry sums_and_maxima [m][n] (xss: [m][n]i32) : ([m]i32, [m]i32) =
  #[incremental_flattening(only_intra)]
  unzip (map (\xs -> let s = i32.sum xs
                     in (s, i32.maximum (map (\x -> x ^ s) xs))) xss)

-- The second reduction also gives an array.
entry normalised [m][n] (xss: [m][n]i32) : [m][n]i32 =
  #[incremental_flattening(only_intra)]
  map (\xs -> let top = i32.maximum xs
              let es = map (\x -> (x - top) / 3) xs
              let s = i32.sum es
              in map (\e -> e * 2 + s) es) xss

-- The last element that is odd, and where it is: the order matters.
entry last_ones [m][n] (xss: [m][n]i32) : ([m]i32, [m]i64) =
  #[incremental_flattening(only_intra)]
  unzip <| map (\xs -> let mean = i32.sum xs / i32.i64 n
              let later (a: (i32, i64)) (b: (i32, i64)) = if b.1 >= 0 then b else a
              in reduce later (0, -1) (map2 (\x i -> if (x - mean) % 2 == 0 then (0, -1) else (x, i)) xs (iota n)))
      xss

entry scanned [m][n] (xss: [m][n]i32) : [m][n]i32 =
  #[incremental_flattening(only_intra)]
  map (\xs -> let ys = scan (+) 0 xs
              let s = i32.sum (map (% 7) ys)
              in scan i32.max i32.lowest (map (+ s) ys)) xss

-- Linear functions, of which the order matters.
entry composed [m][n] (xss: [m][n]i32) : [m][n]i32 =
  #[incremental_flattening(only_intra)]
  map (\xs -> let s = i32.sum xs
              let fs = scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\x -> (x | 1, x + s)) xs)
              in map (\(a, b) -> a ^ b) fs) xss

entry checked [m][n] (xss: [m][n]i32) : [m]i32 =
  #[incremental_flattening(only_intra)]
  map (\xs -> let s = i32.sum xs
              let ys = scan (\x y -> assert (x <= 0x7fffffff) (x ^ y)) 0 xs
              in i32.sum (map (\i -> ys[i64.i32 (i % i32.i64 n) % n]) (map (+ s) ys))) xss
