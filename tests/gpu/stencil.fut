-- Maps whose threads compute points one below the other: rows that fill blocks of every width, and rows that do not.
-- ==
-- entry: five
-- random input { [1025][513]i32 } auto output
-- random input { [530][1024]i32 } auto output
-- random input { [9000][64]i32 } auto output
-- random input { [17000][31]i32 } auto output
-- random input { [4][140000]i32 } auto output
-- random input { [3][200000]i32 } auto output
-- random input { [600000][1]i32 } auto output
-- random input { [1][600000]i32 } auto output

-- ==
-- entry: seven
-- random input { [65][96][100]i32 } auto output
-- random input { [7][3][30000]i32 } auto output
-- random input { [3][7][30000]i32 } auto output
-- random input { [40][130][128]i32 } auto output

-- ==
-- entry: checked
-- random input { [1025][513]i32 700i64 } auto output
-- input { [[1, 2], [3, 4]] 5i64 } error: out of bounds

entry five [n][m] (a: [n][m]i32) : [n][m]i32 =
  tabulate_2d n m (\i j ->
    let at i j = a[i64.min (n - 1) (i64.max 0 i), i64.min (m - 1) (i64.max 0 j)]
    in at i j * 5 + at (i - 1) j + 2 * at (i + 1) j + 3 * at i (j - 1) - at i (j + 1))

entry seven [l][n][m] (a: [l][n][m]i32) : [l][n][m]i32 =
  tabulate_3d l n m (\h i j ->
    if h == 0 || h == l - 1 || i == 0 || i == n - 1 || j == 0 || j == m - 1
    then a[h, i, j]
    else a[h - 1, i, j] + 2 * a[h + 1, i, j] + 3 * a[h, i - 1, j] + 5 * a[h, i + 1, j] + 7 * a[h, i, j - 1]
         + a[h, i, j + 1])

-- Some points fail.
entry checked [n][m] (a: [n][m]i32) (k: i64) : [n][m]i32 =
  tabulate_2d n m (\i j -> a[i, j] + a[(i * k) % (n + k / n / 2), j])
