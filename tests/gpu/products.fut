-- Products of matrices of doubles, which warps compute where the device has units for them; the tuning file asks for tiles of either size.
-- ==
-- entry: product
-- compiled random input { [128][70]f64 [70][66]f64 } auto output
-- compiled random input { [64][16]f64 [16][64]f64 } auto output
-- compiled random input { [130][33]f64 [33][61]f64 } auto output
-- compiled random input { [63][3]f64 [3][129]f64 } auto output
-- compiled random input { [64][0]f64 [0][64]f64 } auto output
-- compiled random input { [1][100]f64 [100][70]f64 } auto output

-- ==
-- entry: left_transposed
-- compiled random input { [37][64]f64 [37][66]f64 } auto output

-- ==
-- entry: right_transposed
-- compiled random input { [64][37]f64 [66][37]f64 } auto output
-- compiled random input { [70][32]f64 [64][32]f64 } auto output

-- ==
-- entry: batches
-- compiled random input { [3][64][20]f64 [3][20][65]f64 } auto output

-- ==
-- entry: sum_of_products
-- compiled random input { [3][64][21]f64 [3][21][64]f64 } auto output

-- ==
-- entry: of_computed_factors
-- compiled random input { [64][37]f32 [37][66]i32 [37]f64 1.5f64 } auto output

-- ==
-- entry: with_more
-- compiled random input { [70]f64 [64]f64 [70][35]f64 [64][35]f64 } auto output

-- ==
-- entry: infinities
-- input { 70i64 37i64 66i64 } output { true }
-- input { 64i64 19i64 64i64 } output { true }

-- ==
-- entry: negative_zeros
-- input { 64i64 19i64 66i64 } output { true }

-- ==
-- entry: no_products
-- compiled random input { [70][37]f64 [37][66]f64 [70]f64 } auto output

def dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)

def mul [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) : [n][p]f64 = map (\row -> map (dot row) (transpose b)) a

entry product [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) : [n][p]f64 = mul a b

entry left_transposed [n] [m] [p] (a: [m][n]f64) (b: [m][p]f64) : [n][p]f64 = mul (transpose a) b

entry right_transposed [n] [m] [p] (a: [n][m]f64) (b: [p][m]f64) : [n][p]f64 = mul a (transpose b)

entry batches [l] [n] [m] [p] (as: [l][n][m]f64) (bs: [l][m][p]f64) : [l][n][p]f64 = map2 mul as bs

-- A loop around that with tiles.
entry sum_of_products [k] [n] [m] [p] (as: [k][n][m]f64) (bs: [k][m][p]f64) : [n][p]f64 =
  tabulate_2d n p (\i j ->
    loop s = 0 for t < k do
      s / 3 + #[sequential] f64.sum (map (\l -> as[t, i, l] * bs[t, l, j]) (iota m)))

-- Factors of other types, which depend on places, on what all points read, and on what is known outside.
entry of_computed_factors [n] [m] [p] (a: [n][m]f32) (b: [m][p]i32) (c: [m]f64) (d: f64) : [n][p]f64 =
  tabulate_2d n p (\i j ->
    loop s = f64.i64 (i - j) for k < m do
      s + (f64.f32 a[i, k] * c[k] + f64.i64 (i * k)) * (d - f64.i32 (b[k, j] %% 100) + f64.i64 (j + k)))

-- Something before the loop and after it.
entry with_more [n] [m] [d] (us: [n]f64) (vs: [m]f64) (xs: [n][d]f64) (ys: [m][d]f64) : [n][m]f64 =
  map2 (\u x -> map2 (\v y -> f64.sqrt (f64.abs (dot x y * u + v))) vs ys) us xs

-- Infinities and NaN reach only the results that depend on them, however much room a tile has beyond the edges.
entry infinities (n: i64) (m: i64) (p: i64) : bool =
  let a = tabulate_2d n m (\i k ->
            if i == n - 1 then f64.inf else if i == n - 2 && k == m - 1 then f64.nan else f64.i64 (i - k))
  let b = tabulate_2d m p (\k j -> if j == p - 1 then -f64.inf else f64.i64 (1 + k + j))
  let c = mul (opaque a) (opaque b)
  in tabulate_2d n p (\i j ->
       let x = c[i, j]
       in if i == n - 2 then f64.isnan x
          else if i == n - 1 then x == (if j == p - 1 then -f64.inf else f64.inf)
          else j == p - 1 || !(f64.isnan x || f64.isinf x))
     |> flatten |> and

-- A sum of negative zeros is one, if it starts with one.
entry negative_zeros (n: i64) (m: i64) (p: i64) : bool =
  let a = opaque (tabulate_2d n m (\i k -> if (i + k) % 2 == 0 then 0 else -0.0))
  let b = opaque (tabulate_2d m p (\k j -> f64.i64 (if k % 2 == 0 then -1 - j else 1 + j)))
  let c = tabulate_2d n p (\i j -> loop s = -0.0 for k < m do s + a[i, k] * b[k, j])
  in tabulate_2d n p (\i j -> 1 / c[i, j] == (if i % 2 == 0 then -f64.inf else f64.inf)) |> flatten |> and

-- Sums of something else: of products of what changes in both directions, of what points have computed before, of maxima.
entry no_products [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) (us: [n]f64) : ([n][p]f64, [n][p]f64, [n][p]f64) =
  (tabulate_2d n p (\i j -> loop s = 0 for k < m do s + (a[i, k] + b[k, j]) * b[k, j]),
   tabulate_2d n p (\i j -> let u = f64.exp (us[i] - f64.i64 j) in loop s = 0 for k < m do s + (a[i, k] * u) * b[k, j]),
   tabulate_2d n p (\i j -> loop s = 0 for k < m do f64.max s (a[i, k] * b[k, j])))
