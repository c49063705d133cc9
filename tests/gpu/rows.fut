-- Long rows made by single threads: interleaved while they are made if there are many elements, in order if not.
-- ==
-- entry: sums both backwards eliminated planes in_two_dims part
-- input { 3i64 5i64 } auto output
-- input { 0i64 5i64 } auto output
-- input { 5i64 0i64 } auto output
-- input { 4100i64 130i64 } auto output
-- input { 600i64 900i64 } auto output
-- input { 40000i64 14i64 } auto output

def element (i: i64) (j: i64) : i32 = i32.i64 ((i * 7919 + j * 104729) % 1013)

def row (n: i64) (i: i64) : [n]i32 = #[sequential] tabulate n (element i)

-- Only written.
entry sums (m: i64) (n: i64) : [m][n]i32 = tabulate m (\i -> #[sequential] scan (+) 0 (row n i))

-- Two results of different types, one of them read again.
entry both (m: i64) (n: i64) : ([m][n]i8, [m][n]i64) =
  tabulate m (\i ->
    let a = loop a = row n i for j < n - 1 do a with [j + 1] = a[j] ^ a[j + 1]
    in (#[sequential] map i8.i32 a, #[sequential] map (\x -> i64.i32 x * i) a))
  |> unzip

-- Made from the other end.
entry backwards (m: i64) (n: i64) : [m][n]i32 =
  tabulate m (\i -> reverse (#[sequential] scan (\x y -> x * 3 + y) 0 (row n i)))

-- Read and written in place, in two loops.
entry eliminated (m: i64) (n: i64) : [m][n]i32 =
  tabulate m (\i ->
    let y = loop y = #[sequential] replicate n 0 for j < n do
              y with [j] = element i j - (if j == 0 then 0 else y[j - 1]) / 2
    in loop y for k < n - 1 do let j = n - 2 - k in y with [j] = y[j] - y[j + 1] / 3)

-- Rows of two dimensions.
entry planes (m: i64) (n: i64) : [m][2][n]i32 =
  tabulate m (\i ->
    loop p = #[sequential] replicate 2 (#[sequential] replicate n 0) for j < n do
      (p with [0, j] = element i j) with [1, j] = element j i + (if j == 0 then 0 else p[1, j - 1]))

-- Threads in two dimensions.
entry in_two_dims (m: i64) (n: i64) : [3][m][n]i32 =
  tabulate_2d 3 m (\k i -> #[sequential] scan (+) (i32.i64 k) (row n i))

-- A part of what a thread makes, which stays in memory of its own.
entry part (m: i64) (n: i64) : [m][n]i32 =
  tabulate m (\i -> let a = loop a = row (n + 1) i for j < n do a with [j + 1] = a[j] + a[j + 1] in tail a :> [n]i32)
