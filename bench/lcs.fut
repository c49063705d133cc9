-- Longest common subsequences: the lengths for all beginnings of two sequences, of which the last row is returned.
--
-- Element (i, j) of the table depends on its neighbours above, to the left and diagonally, so the elements of an antidiagonal are
-- independent. Each antidiagonal is a slice by strides of the flat table: in a table with m + 1 columns, its elements are m
-- apart. `main` takes and updates such slices with the prelude's functions, and nothing is copied; `plain` writes
-- the elements one by one, by a scatter. Parallelism: the antidiagonals, one after another.

-- ==
-- entry: main plain
-- "tiny" input { [1, 2, 3] [2, 3] } output { [0, 1, 2] }
-- "none" input { empty([0]i32) [2, 3] } output { [0, 0, 0] }
-- "nothing" input { empty([0]i32) empty([0]i32) } output { [0] }
-- "one" input { [5] [5] } output { [0, 1] }

-- ==
-- entry: main plain
-- "small" input @ data/lcs/small.in
-- output @ data/lcs/small.out

def length (x: i32) (y: i32) (diagonal: i32) (up: i32) (left: i32) : i32 =
  if x == y then diagonal + 1 else i32.max up left

-- The first row and the size of the antidiagonal on which row and column add up to d.
def antidiagonal (n: i64) (m: i64) (d: i64) : (i64, i64) =
  let first = i64.max 1 (d - m)
  in (first, i64.min n (d - 1) - first + 1)

entry main [n] [m] (xs: [n]i32) (ys: [m]i32) : [m + 1]i32 =
  let table =
    loop table = replicate ((n + 1) * (m + 1)) 0i32
    for e < i64.max 0 (n + m - 1) do
      let d = e + 2
      let (first, k) = antidiagonal n m d
      let start = d + first * m
      let slice offset = flat_index_2d table offset 1 1 k m
      let lengths =
        map4 (\i diagonal up left -> length xs[first - 1 + i] ys[d - first - 1 - i] diagonal up left)
             (iota k)
             (slice (start - m - 2))[0]
             (slice (start - m - 1))[0]
             (slice (start - 1))[0]
      in flat_update_2d table start 1 m [lengths]
  in (unflatten table)[n]

entry plain [n] [m] (xs: [n]i32) (ys: [m]i32) : [m + 1]i32 =
  let table =
    loop table = replicate (n + 1) (replicate (m + 1) 0i32)
    for e < i64.max 0 (n + m - 1) do
      let d = e + 2
      let (first, k) = antidiagonal n m d
      let at t =
        let (i, j) = (first + t, d - first - t)
        in ((i, j), length xs[i - 1] ys[j - 1] table[i - 1, j - 1] table[i - 1, j] table[i, j - 1])
      let (is, lengths) = unzip (tabulate k at)
      in scatter_2d table is lengths
  in table[n]
