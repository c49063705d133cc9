-- Elements that points would read in leaps are turned in shared memory, at sizes that boxes fit and at sizes that they do not.
-- ==
-- entry: turned_sum turned_double turned_bytes
-- random input { [0][5]i32 } auto output
-- random input { [5][0]i32 } auto output
-- random input { [1][1]i32 } auto output
-- random input { [3][200]i32 } auto output
-- random input { [70][3]i32 } auto output
-- random input { [32][64]i32 } auto output
-- random input { [65][129]i32 } auto output

entry turned_sum [n] [m] (a: [n][m]i32) =
  #[schedule(turned)] tabulate_2d m n (\j i -> a[i, j] * 2 + i32.i64 (j - i))
entry turned_double [n] [m] (a: [n][m]i32) =
  #[schedule(turned)] map2 (\xs k -> map (\x -> f64.i32 x + f64.i64 k) xs) (transpose a) (iota m)
entry turned_bytes [n] [m] (a: [n][m]i32) =
  let b = map (map i8.i32) a
  in #[schedule(turned)] tabulate_2d m n (\j i -> if a[i, j] > 0 then b[i, j] else i8.i64 i)

-- Boxes of three sides, and planes that are read in two orders.
-- ==
-- entry: cube_two cube_three cube_doubles
-- random input { [0][0][0]i32 } auto output
-- random input { [1][1][1]i32 } auto output
-- random input { [7][7][7]i32 } auto output
-- random input { [33][33][33]i32 } auto output
-- random input { [48][48][48]i32 } auto output
-- random input { [96][96][96]i32 } auto output

entry cube_two [n] (a: [n][n][n]i32) =
  #[schedule(turned)] tabulate_3d n n n (\i j k -> a[k, j, i] + a[k, i, j] * 3)
entry cube_three [n] (a: [n][n][n]i32) =
  #[schedule(turned)] tabulate_3d n n n (\i j k -> a[j, k, i] * 7 + a[i, j, k] + a[j, i, k] * 3)
entry cube_doubles [n] (a: [n][n][n]i32) =
  let b = map (map (map f64.i32)) a
  in #[schedule(turned)] tabulate_3d n n n (\i j k -> b[k, j, i] + b[k, i, j] * 3)

-- An array is read in order and turned, or turned in two ways, or in planes.
-- ==
-- entry: symmetric
-- random input { [0][0]i32 } auto output
-- random input { [1][1]i32 } auto output
-- random input { [70][70]i32 } auto output
-- random input { [224][224]i32 } auto output

entry symmetric [n] (a: [n][n]i32) = #[schedule(turned)] map2 (map2 (\x y -> x - 3 * y)) a (transpose a)

-- ==
-- entry: rotated
-- random input { [3][3][3]i32 } auto output
-- random input { [64][64][64]i32 } auto output
-- random input { [72][72][72]i32 } auto output

entry rotated [n] (a: [n][n][n]i32) =
  #[schedule(turned)] tabulate_3d n n n (\i j k -> a[j, k, i] * 7 + a[k, i, j] * 3)

-- ==
-- entry: planes
-- random input { [5][64][64]i32 } auto output
-- random input { [64][64][64]i32 } auto output
-- random input { [40][33][33]i32 } auto output

entry planes [l] [n] (a: [l][n][n]i32) =
  #[schedule(turned)] tabulate_3d l n n (\i j k -> a[i, j, k] * 7 + a[i, k, j] * 3)

-- Enough points for the compiler's own choice; what is turned comes from an array in another layout, and is a part of one.
-- ==
-- entry: chosen
-- input { 1030i64 777i64 } auto output

def number (i: i64) : i32 = i32.i64 ((i * 7919) % 1021)
entry chosen (n: i64) (m: i64) =
  let a = tabulate_2d (n + 3) m (\i j -> number (i * m + j))
  let b = tabulate_2d m n (\j i -> a[i + 3, j] + 1)
  let c = map2 (map2 (+)) (transpose b) (a[:n])
  in (map2 (map2 (-)) b (transpose c), map2 (map2 (*)) (transpose (a[3:] :> [n][m]i32)) b)
