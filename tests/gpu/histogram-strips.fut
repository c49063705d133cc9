-- Histograms of columns, whose threads are along them.
-- ==
-- entry: counts by_bins largest halves firsts two_of_each
-- random input { [0][600]i32 } auto output
-- random input { [200][0]i32 } auto output
-- random input { [5][7]i32 } auto output
-- random input { [300][2100]i32 } auto output
-- random input { [1300][65]i32 } auto output
-- random input { [6000][40]i32 } auto output

def bin (k: i64) (x: i32) : i64 = i64.i32 (x % i32.i64 (k + 2))

-- Some bins are out of bounds.
entry counts [n][m] (a: [n][m]i32) : [m][37]i32 =
  map (\xs -> hist (+) 0 37 (map (bin 37) xs) (map (const 1) xs)) (transpose a)

-- What is there before stays, and the result is in memory as the operand is.
entry by_bins [n][m] (a: [n][m]i32) : [5][m]i64 =
  transpose (map (\xs -> reduce_by_index (replicate 5 100i64) (+) 0 (map (bin 5) xs) (map (i64.i32 <-< (% 1000)) xs))
                 (transpose a))

-- Compare and swap, of whole words and of parts of them.
entry largest [n][m] (a: [n][m]i32) : [m][9]f32 =
  map (\xs -> hist f32.max (-1) 9 (map (bin 9) xs) (map (f32.i32 <-< (% 1000)) xs)) (transpose a)
entry halves [n][m] (a: [n][m]i32) : [m][7]i16 =
  map (\xs -> hist (+) 0 7 (map (bin 7) xs) (map i16.i32 xs)) (transpose a)

-- Under locks.
entry firsts [n][m] (a: [n][m]i32) : ([m][6]i32, [m][6]i64) =
  let column (xs: [n]i32) =
    hist (\(x, i) (y, j) -> if x < y || (x == y && i <= j) then (x, i) else (y, j)) (i32.highest, n) 6 (map (bin 6) xs)
         (zip xs (iota n))
    |> unzip
  in unzip (map column (transpose a))

-- Two histograms of the same elements.
entry two_of_each [n][m] (a: [n][m]i32) : ([m][4]i32, [m][11]i32) =
  unzip (map (\xs -> (hist (+) 0 4 (map (bin 4) xs) xs, hist i32.max i32.lowest 11 (map (bin 11) xs) xs)) (transpose a))

-- Matrices side by side, and columns along another dimension.
-- ==
-- entry: planes across
-- random input { [3][0][600]i32 } auto output
-- random input { [3][2][4]i32 } auto output
-- random input { [3][140][200]i32 } auto output
-- random input { [64][9][130]i32 } auto output

entry planes [k][n][m] (a: [k][n][m]i32) : [k][m][8]i32 =
  map (map (\xs -> hist (+) 0 8 (map (bin 8) xs) (map (const 1) xs)) <-< transpose) a
entry across [n][m][k] (a: [n][m][k]i32) : [k][m][8]i32 =
  tabulate_2d k m (\o j -> hist (+) 0 8 (tabulate n (\i -> bin 8 a[i, j, o])) (replicate n 1))

-- A point that fails ends the program.
-- ==
-- entry: looked_up
-- input { 600i64 100i64 1000i64 } auto output
-- input { 600i64 100i64 900i64 } error: Index .* out of bounds

entry looked_up (m: i64) (n: i64) (k: i64) : i64 =
  let table = iota k
  let at = tabulate_2d n m (\i j -> (i * 31 + j * 17) % 1000)
  let counts = map (\is -> hist (+) 0 10 (map (\i -> table[i] % 10) is) is) (transpose at)
  in i64.sum (flatten counts)
