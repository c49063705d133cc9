-- Maps whose points read the same elements: tiled where that fits the sizes, with the same answers where it does not.
-- ==
-- entry: product
-- compiled random input { [130][70]f32 [70][200]f32 } auto output
-- compiled random input { [64][16]f32 [16][64]f32 } auto output
-- compiled random input { [1][100]f32 [100][90]f32 } auto output
-- compiled random input { [300][1]f32 [1][300]f32 } auto output
-- compiled random input { [0][20]f32 [20][70]f32 } auto output
-- compiled random input { [70][0]f32 [0][70]f32 } auto output
-- compiled random input { [128][70]f32 [70][252]f32 } auto output
-- compiled random input { [120][64]f32 [64][127]f32 } auto output

-- ==
-- entry: product_of_doubles
-- compiled random input { [100][33]f64 [33][120]f64 } auto output
-- compiled random input { [128][64]f64 [64][66]f64 } auto output

-- ==
-- entry: product_of_bytes
-- compiled random input { [64][64]i8 [64][128]i8 } auto output
-- compiled random input { [128][65]i8 [65][120]i8 } auto output

-- ==
-- entry: product_of_halves
-- compiled random input { [70][40]f16 [40][66]f16 } auto output

-- ==
-- entry: product_of_ints
-- compiled random input { [65][40]i8 [40][129]i64 } auto output

-- ==
-- entry: with_transposed
-- compiled random input { [40][128]f32 [70][40]f32 } auto output

-- ==
-- entry: batches
-- compiled random input { [5][64][20]f32 [5][20][65]f32 } auto output
-- compiled random input { [3][64][65]f32 [3][65][64]f32 } auto output
-- compiled random input { [3][64][65]f32 [3][65][62]f32 } auto output

-- ==
-- entry: sum_of_products
-- compiled random input { [3][64][70]i32 [3][70][128]i32 } auto output
-- compiled random input { [4][65][64]i32 [4][64][129]i32 } auto output
-- compiled random input { [2][64][0]i32 [2][0][64]i32 } auto output

-- ==
-- entry: closest
-- compiled random input { [140][20]f32 [70][20]f32 } auto output

-- ==
-- entry: quotients
-- compiled random input { [80][33]i32 [33][80]i32 } auto output

-- ==
-- entry: scaled
-- compiled random input { [128]f32 [100]f32 [128][40]f32 [100][40]f32 } auto output

-- ==
-- entry: twice
-- compiled random input { [64][40]f32 [64][40]f32 [64][50]i32 [64][50]i32 } auto output

-- ==
-- entry: forces
-- compiled random input { [600]f32 [600]f32 } auto output

-- ==
-- entry: nearest
-- compiled random input { [500][35]f32 [5][35]f32 } auto output

-- ==
-- entry: in_order
-- compiled random input { [700][40]i32 } auto output

-- ==
-- entry: narrow
-- compiled random input { [260][40]f32 40i32 } auto output

-- ==
-- entry: narrow_around
-- random input { [3][80]i32 [100]i32 } auto output
-- random input { [1][1]i32 [700]i32 } auto output

-- ==
-- entry: checked
-- input { [1f32, 2f32] [0i64, 1i64, 2i64] } error: out of bounds
-- compiled random input { [200]f32 [0]i64 } auto output

-- ==
-- entry: at_places
-- compiled random input { [64][40]f32 [64][40]f32 } auto output

def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

entry product [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 =
  map (\row -> map (dot row) (transpose b)) a

entry product_of_doubles [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) : [n][p]f64 =
  map (\row -> map (\col -> f64.sum (map2 (*) row col)) (transpose b)) a

entry product_of_halves [n] [m] [p] (a: [n][m]f16) (b: [m][p]f16) : [n][p]f16 =
  map (\row -> map (\col -> f16.maximum (map2 (*) row col)) (transpose b)) a

entry product_of_ints [n] [m] [p] (a: [n][m]i8) (b: [m][p]i64) : [n][p]i64 =
  map (\row -> map (\col -> i64.sum (map2 (\x y -> i64.i8 x * y) row col)) (transpose b)) a

entry product_of_bytes [n] [m] [p] (a: [n][m]i8) (b: [m][p]i8) : [n][p]i8 =
  map (\row -> map (\col -> i8.sum (map2 (*) row col)) (transpose b)) a

-- Both the other way around: neighbours along the loop are far from each other in memory.
entry with_transposed [n] [m] [p] (a: [m][n]f32) (b: [p][m]f32) : [n][p]f32 =
  map (\row -> map (dot row) b) (transpose a)

entry batches [l] [n] [m] [p] (as: [l][n][m]f32) (bs: [l][m][p]f32) : [l][n][p]f32 =
  map2 product as bs

-- A loop around that with tiles, which are filled again in each iteration.
entry sum_of_products [k] [n] [m] [p] (as: [k][n][m]i32) (bs: [k][m][p]i32) : [n][p]i32 =
  tabulate_2d n p (\i j ->
    loop s = 0 for t < k do
      s * 3 + #[sequential] i32.sum (map (\l -> as[t, i, l] * bs[t, l, j]) (iota m)))

-- A reduction of pairs, with something before and after.
entry closest [n] [m] [d] (xs: [n][d]f32) (ys: [m][d]f32) : ([n][m]i64, [n][m]f32) =
  let nearer (i: i64, x: f32) (j, y) = if y < x then (j, y) else (i, x)
  in map (\x ->
            map (\y ->
                   let (i, d) = reduce nearer (-1, f32.inf) (zip (iota d) (map2 (\a b -> f32.abs (a - b)) x y))
                   in (i, f32.sqrt (d + f32.i64 i)))
                ys)
         xs
     |> map unzip |> unzip

-- What is computed beyond the edges must not divide by zero.
entry quotients [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 =
  map (\row -> map (\col -> i32.sum (map2 (\x y -> #[unsafe] x // (1 + y %% 1000)) row col)) (transpose b)) a

-- Scalars of a point from before the loop, in it and after it.
entry scaled [n] [m] [d] (us: [n]f32) (vs: [m]f32) (xs: [n][d]f32) (ys: [m][d]f32) : [n][m]f32 =
  map2 (\u x ->
          map2 (\v y ->
                  let s = u + f32.sqrt (f32.abs v)
                  in f32.sum (map2 (\a b -> (a - s) * (b + u)) x y) / (1 + f32.abs s))
               vs ys)
       us xs

-- Two loops, one after the other.
entry twice [n] [m] [k] [l] (a: [n][k]f32) (b: [m][k]f32) (c: [n][l]i32) (d: [m][l]i32) : [n][m]f32 =
  map2 (\ra rc ->
          map2 (\rb rd ->
                  let s = dot ra rb
                  let t = i32.sum (map2 (^) rc rd)
                  in s + f32.i32 (t %% 17))
               b d)
       a c

-- A line of points, all of which read everything.
entry forces [n] (xs: [n]f32) (ms: [n]f32) : ([n]f32, [n]f32) =
  map (\x ->
         let pull y m = let d = y - x in (m * d / (d * d + 0.01), f32.abs d)
         in reduce (\(a, b) (c, d) -> (a + c, f32.max b d)) (0, 0) (map2 pull xs ms))
      xs
  |> unzip

-- A loop around the loop with tiles, which read along the line as well.
entry nearest [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) : ([n]i64, [n]f32) =
  let distance (a: [d]f32) (b: [d]f32) : f32 = f32.sum (map2 (\x y -> (x - y) * (x - y)) a b)
  in map (\p -> loop (j, best) = (-1, f32.inf)
                for i < k do
                  let new = distance centres[i] p
                  in if new < best then (i, new) else (j, best))
         points
     |> unzip

-- Not commutative.
entry in_order [n] [m] (xss: [n][m]i32) : [n]i32 =
  map (\xs -> loop acc = 1 for x in xs do acc * 3 + x) xss

-- A loop that counts in 32 bits.
entry narrow [n] [m] (xss: [n][m]f32) (k: i32) : [n][n]f32 =
  map (\xs -> map (\ys -> loop acc = 0 for i < k do #[unsafe] acc + xs[i] * ys[i] * f32.i32 i) xss) xss

-- A loop around the one with tiles counts in 32 bits, and is part of the offset.
entry narrow_around [n] [m] [k] (xss: [m][k]i32) (ys: [n]i32) : [n]i32 =
  map (\y ->
         let y' = loop y for i < i32.i64 m do #[sequential] i32.sum (map (+ y) (#[unsafe] xss[i]))
         in y + y')
      ys

-- A check in the loop that may fail.
entry checked [n] [m] (xs: [n]f32) (is: [m]i64) : [n]f32 =
  map (\x -> loop acc = x for i in is do acc * xs[i]) xs

-- Results are written in place.
entry at_places [n] [m] (a: [n][m]f32) (b: [n][m]f32) : [n]f32 =
  let sums = map (\x -> f32.sum (map (\y -> dot x y) b)) a
  in scatter (replicate n 0) (map (\i -> (i * 7) %% n) (iota n)) sums

-- Between two loops with tiles, what the first one found is looked up: threads beyond the edge found nothing.
-- ==
-- entry: looked_up_between
-- input { 128i64 600i64 } auto output
-- input { 300i64 600i64 } auto output

entry looked_up_between (n: i64) (m: i64) : [n]i64 =
  let xs = opaque (tabulate m (\i -> (i * 7919) % 1000))
  let ys = opaque (iota m)
  in map (\q ->
            let (_, i) =
              loop (best, i) = (i64.highest, i64.highest / 16)
              for k < m do
                let d = i64.abs (xs[k] - q)
                in if d < best then (d, k) else (best, i)
            let v = #[unsafe] ys[i]
            in loop s = 0 for k < m do s + (xs[k] - v) * (xs[k] - v))
         (opaque (iota n))

-- Products of small matrices of constant size: tiles are no wider than they are.
-- ==
-- entry: small_16
-- compiled random input { [70][16][20]f32 [70][20][16]f32 } auto output
-- entry: small_24
-- compiled random input { [70][24][40]f32 [70][40][24]f32 } auto output
-- entry: small_32
-- compiled random input { [70][32][32]f32 [70][32][32]f32 } auto output
-- compiled random input { [3][32][0]f32 [3][0][32]f32 } auto output
-- entry: small_and_long
-- compiled random input { [700][33]f64 [33][40]f64 } auto output

entry small_16 [l] [m] (as: [l][16][m]f32) (bs: [l][m][16]f32) : [l][16][16]f32 = map2 product as bs
entry small_24 [l] [m] (as: [l][24][m]f32) (bs: [l][m][24]f32) : [l][24][24]f32 = map2 product as bs
entry small_32 [l] [m] (as: [l][32][m]f32) (bs: [l][m][32]f32) : [l][l][32][32]f32 =
  map (\a -> map (product a) bs) as
entry small_and_long [n] [m] (a: [n][m]f64) (b: [m][40]f64) : [n][40]f64 = product_of_doubles a b
