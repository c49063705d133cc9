-- Long rows made by single threads: interleaved while they are made if there are many elements, in order if not.
-- ==
-- entry: sums both backwards eliminated planes in_two_dims part
-- random input { [3]i32 [5]i32 } auto output
-- random input { [0]i32 [5]i32 } auto output
-- random input { [5]i32 [0]i32 } auto output
-- random input { [4100]i32 [130]i32 } auto output
-- random input { [600]i32 [900]i32 } auto output
-- random input { [40000]i32 [14]i32 } auto output

def element (x: i32) (y: i32) : i32 = (x ^ y) %% 1013

def row [n] (x: i32) (ys: [n]i32) : *[n]i32 = #[sequential] map (element x) ys

-- Only written.
entry sums [m] [n] (xs: [m]i32) (ys: [n]i32) : [m][n]i32 = map (\x -> #[sequential] scan (+) 0 (row x ys)) xs

-- Two results of different types, one of them read again.
entry both [m] [n] (xs: [m]i32) (ys: [n]i32) : ([m][n]i8, [m][n]i64) =
  map (\x ->
    let a = loop a = row x ys for j < n - 1 do a with [j + 1] = a[j] ^ a[j + 1]
    in (#[sequential] map i8.i32 a, #[sequential] map (\e -> i64.i32 e * i64.i32 x) a)) xs
  |> unzip

-- Made from the other end.
entry backwards [m] [n] (xs: [m]i32) (ys: [n]i32) : [m][n]i32 =
  map (\x -> reverse (#[sequential] scan i32.max i32.lowest (row x ys))) xs

-- Read and written in place, in two loops.
entry eliminated [m] [n] (xs: [m]i32) (ys: [n]i32) : [m][n]i32 =
  map (\x ->
    let y = loop y = #[sequential] replicate n 0 for j < n do
              y with [j] = element x ys[j] - (if j == 0 then 0 else y[j - 1]) / 2
    in loop y for k < n - 1 do let j = n - 2 - k in y with [j] = y[j] - y[j + 1] / 3) xs

-- Rows of two dimensions.
entry planes [m] [n] (xs: [m]i32) (ys: [n]i32) : [m][2][n]i32 =
  map (\x ->
    loop p = #[sequential] replicate 2 (#[sequential] replicate n 0) for j < n do
      (p with [0, j] = element x ys[j]) with [1, j] = x + (if j == 0 then 0 else p[1, j - 1])) xs

-- Threads in two dimensions.
entry in_two_dims [m] [n] (xs: [m]i32) (ys: [n]i32) : [3][m][n]i32 =
  tabulate_2d 3 m (\k i -> #[sequential] scan (+) 0 (row (xs[i] + i32.i64 k) ys))

-- A part of what a thread makes, which stays in memory of its own.
entry part [m] [n] (xs: [m]i32) (ys: [n]i32) : [m][n]i32 =
  map (\x -> let a = loop a = #[sequential] replicate (n + 1) x for j < n do a with [j + 1] = a[j] + ys[j] in tail a :> [n]i32) xs
