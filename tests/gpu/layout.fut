-- Arrays that kernels would read in leaps: copies in other layouts, and reductions done along columns.
-- ==
-- entry: column_sums column_pairs column_scans transposed deepest
-- input { empty([0][7]i32) } auto output
-- input { empty([7][0]i32) } auto output
-- random input { [1][1]i32 } auto output
-- random input { [300][4000]i32 } auto output
-- random input { [4000][300]i32 } auto output
-- random input { [70000][33]i32 } auto output
-- random input { [33][70000]i32 } auto output
-- random input { [150000][8]i32 } auto output

-- ==
-- entry: batches
-- random input { [3][500][900]i32 } auto output
-- random input { [40][2000][40]i32 } auto output

-- ==
-- entry: cube
-- random input { [110][110][110]i32 } auto output
-- random input { [3][3][3]i32 } auto output

-- ==
-- entry: in_loop in_branch
-- random input { 5i64 [1100][1100]i32 [1100][1100]i32 } auto output
-- random input { 0i64 [1100][1100]i32 [1100][1100]i32 } auto output

-- ==
-- entry: walks
-- random input { [2000][300]i32 [40]i64 } auto output

-- ==
-- entry: unflattened
-- random input { 1100i64 1000i64 [1100000]i32 [1000][1100]i32 } auto output
-- random input { 0i64 10i64 [0]i32 [10][0]i32 } auto output

-- ==
-- entry: flat_part
-- random input { 3i64 1000i64 1100i64 [1100100]i32 [1000][1100]i32 } auto output

entry column_sums [n][m] (a: [n][m]i32) = map i32.sum (transpose a)

-- The operator does not commute.
entry column_pairs [n][m] (a: [n][m]i32) =
  let step (a, b) (c, d) = (a * c, b * c + d)
  in map (\col -> (.1) (reduce step (1, 0) (zip (map (| 1) col) col))) (transpose a)

entry column_scans [n][m] (a: [n][m]i32) = map (scan (+) 0) (transpose a)

entry transposed [n][m] (a: [n][m]i32) = tabulate_2d m n (\j i -> a[i, j] * 2)

-- The innermost dimension of the space is in the middle of the array.
entry deepest [n][m] (a: [n][m]i32) =
  let b = tabulate_3d 2 m n (\k j i -> a[i, j] + i32.i64 k)
  in tabulate_3d n 2 m (\i k j -> b[k, j, i] - 1)

entry batches [k][n][m] (a: [k][n][m]i32) =
  map (\a -> (map (reduce i32.max 0) (transpose a), map (reduce (+) 0) a)) a |> unzip

entry cube [p] (a: [p][p][p]i32) =
  tabulate_3d p p p (\x y z -> a[y, z, x] + 3 * a[x, y, z] + 5 * a[y, x, z] + 7 * a[z, y, x])

entry in_loop [n] (k: i64) (a: [n][n]i32) (b: [n][n]i32) =
  loop a for _i < k do map2 (map2 (+)) a (transpose b)

entry in_branch [n] (k: i64) (a: [n][n]i32) (b: [n][n]i32) =
  loop a for i < k do
    if i % 2 == 0 then map2 (map2 (+)) a (transpose b) else map2 (map2 (-)) (transpose b) (transpose a)

entry walks [n][m][k] (a: [n][m]i32) (ks: [k]i64) =
  #[sequential_inner]
  map (\xs -> loop s = 0i32 for k in ks do
                loop s for i < m do s * 3 + (if xs[i] < 1 then xs[(i + k) % m] else 0)) a

-- The same reads through views and by the program's own arithmetic.
entry unflattened [k][n][m] (rows: i64) (width: i64) (xs: [k]i32) (b: [n][m]i32) =
  let a : [rows][width]i32 = unflatten (xs :> [rows * width]i32)
  in map2 (map2 (-)) (transpose a) (b :> [width][rows]i32)

entry flat_part [k][n][m] (steps: i64) (rows: i64) (width: i64) (xs: [k]i32) (b: [n][m]i32) =
  let xs = take (rows * width) xs
  let b = copy (b :> [rows][width]i32)
  in loop b for s < steps do tabulate_2d rows width (\i j -> b[i, j] * 3 - xs[j * rows + i] + i32.i64 s)
