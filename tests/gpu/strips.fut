-- Scans of columns, whose threads are along them.
-- ==
-- entry: columns by_rows vectors lasts largest used_after from_both
-- random input { [0][600]i32 } auto output
-- random input { [200][0]i32 } auto output
-- random input { [5][7]i32 } auto output
-- random input { [16][4100]i32 } auto output
-- random input { [40][2048]i32 } auto output
-- random input { [129][545]i32 } auto output
-- random input { [1201][65]i32 } auto output

def small (x: i32) = x % 1000

entry columns [n][m] (a: [n][m]i32) : [m][n]i32 = map (scan (+) 0 <-< map small) (transpose a)

-- The result is in memory as the operand is.
entry by_rows [n][m] (a: [n][m]i32) : [n][m]i32 = transpose (map (scan (+) 0) (transpose a))
entry vectors [n][m] (a: [n][m]i32) : [n][m]i32 = scan (map2 (+)) (replicate m 0) a

-- Not commutative: the last that is not zero.
entry lasts [n][m] (a: [n][m]i32) : [m][n]i32 =
  map (scan (\x y -> if y == 0 then x else y) 0 <-< map (% 3)) (transpose a)

-- Operands of several types.
entry largest [n][m] (a: [n][m]i32) : ([m][n]i64, [m][n]i16) =
  let column (xs: [n]i32) =
    scan (\(x, i) (y, j) -> if x > y || (x == y && i <= j) then (x, i) else (y, j)) (i64.lowest, 0i16)
         (map2 (\x i -> (i64.i32 (small x), i16.i64 i)) xs (iota n))
    |> unzip
  in unzip (map column (transpose a))

-- What comes after reads along segments, and across them.
entry used_after [n][m] (a: [n][m]i32) : [m][n]i32 =
  map2 (\j xs -> map2 (\i x -> x * 2 + a[i, j]) (iota n) (scan (+) 0 xs)) (iota m) (transpose a)

-- Elements of a column, each with one of its row, and the one below.
entry from_both [n][m] (a: [n][m]i32) : [m][n]i32 =
  tabulate m (\j -> scan (+) 0 (tabulate n (\i -> small a[i, j] * small a[i, 0] + a[i64.min (n - 1) (i + 1), j])))

-- Matrices side by side, and columns along another dimension.
-- ==
-- entry: planes across
-- random input { [3][0][600]i32 } auto output
-- random input { [3][2][4]i32 } auto output
-- random input { [3][140][200]i32 } auto output
-- random input { [64][9][130]i32 } auto output

entry planes [k][n][m] (a: [k][n][m]i32) : [k][m][n]i32 = map (map (scan (+) 0) <-< transpose) a
entry across [n][m][k] (a: [n][m][k]i32) : [k][m][n]i32 =
  tabulate_2d k m (\o j -> scan (+) 0 (tabulate n (\i -> a[i, j, o])))

-- A point that fails ends the program.
-- ==
-- entry: looked_up
-- input { 600i64 100i64 1000i64 } auto output
-- input { 600i64 100i64 900i64 } error: Index .* out of bounds

entry looked_up (m: i64) (n: i64) (k: i64) : i64 =
  let table = iota k
  let at = tabulate_2d n m (\i j -> (i * 31 + j * 17) % 1000)
  let sums = map (\is -> scan (+) 0 (map (\i -> table[i]) is)) (transpose at)
  in i64.sum (map last sums)
