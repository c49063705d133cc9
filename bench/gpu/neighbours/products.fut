-- Matrix products and their neighbours.

def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)
def matmul [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 = map (\r -> map (dot r) (transpose b)) a

-- A dense layer.
entry layer [n] [m] [p] (a: [n][m]f32) (w: [m][p]f32) (bias: [p]f32) : [n][p]f32 =
  map (\r -> map2 (\c b -> f32.max 0 (dot r c + b)) (transpose w) bias) a

-- The same in two maps over a product.
entry layer_after [n] [m] [p] (a: [n][m]f32) (w: [m][p]f32) (bias: [p]f32) : [n][p]f32 =
  let y = matmul a w
  in map (\row -> map2 (\x b -> 1 / (1 + f32.exp (-(x + b)))) row bias) y

-- alpha A B + beta C
entry gemm [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) (c: [n][p]f32) : [n][p]f32 =
  map2 (\ar cr -> map2 (\bc x -> 1.5 * dot ar bc + 0.5 * x) (transpose b) cr) a c

entry both_transposed [n] [m] [p] (a: [m][n]f32) (b: [p][m]f32) : [n][p]f32 =
  map (\r -> map (dot r) b) (transpose a)

entry of_i64 [n] [m] [p] (a: [n][m]i64) (b: [m][p]i64) : [n][p]i64 =
  map (\r -> map (\c -> i64.sum (map2 (*) r c)) (transpose b)) a

type complex = {re: f32, im: f32}
def mul (a: complex) (b: complex) : complex = {re = a.re * b.re - a.im * b.im, im = a.re * b.im + a.im * b.re}
def add (a: complex) (b: complex) : complex = {re = a.re + b.re, im = a.im + b.im}

entry of_complex [n] [m] [p] (ar: [n][m]f32) (ai: [n][m]f32) (br: [m][p]f32) (bi: [m][p]f32) : ([n][p]f32, [n][p]f32) =
  let a = map2 (map2 (\re im -> {re, im})) ar ai
  let b = map2 (map2 (\re im -> {re, im})) br bi
  let c = map (\r -> map (\c -> reduce add {re = 0, im = 0} (map2 mul r c)) (transpose b)) a
  in (map (map (.re)) c, map (map (.im)) c)

entry batched [k] [n] [m] [p] (a: [k][n][m]f32) (b: [k][m][p]f32) : [k][n][p]f32 = map2 matmul a b

entry scaled [k] [n] [m] [p] (ws: [k]f32) (a: [n][m]f32) (b: [m][p]f32) : [k][n][p]f32 =
  map (\w -> matmul (map (map (* w)) a) b) ws

-- Bytes, added up as words.
entry of_bytes [n] [m] [p] (a: [n][m]u8) (b: [m][p]u8) : [n][p]i32 =
  map (\r -> map (\c -> i32.sum (map2 (\x y -> i32.u8 x * i32.u8 y) r c)) (transpose b)) a

-- Covariances of the columns of a table.
entry covariance [n] [d] (xs: [n][d]f32) : [d][d]f32 =
  let means = map (\c -> f32.sum c / f32.i64 n) (transpose xs)
  let centred = map (\x -> map2 (-) x means) xs
  in map (\a -> map (\b -> dot a b / f32.i64 (n - 1)) (transpose centred)) (transpose centred)

-- Similarities of all pairs of points.
entry similar [n] [m] [d] (xs: [n][d]f32) (ys: [m][d]f32) : [n][m]f32 =
  map (\x -> map (\y -> f32.exp (-0.5 * f32.sum (map2 (\a b -> (a - b) * (a - b)) x y))) ys) xs

entry by_loops [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 =
  tabulate_2d n p (\i j -> loop s = 0 for k < m do s + a[i, k] * b[k, j])

-- Is there a way of two steps?
entry of_bools [n] (a: [n][n]u8) : [n][n]bool =
  let b = map (map (> 0)) a
  in map (\r -> map (\c -> or (map2 (&&) r c)) (transpose b)) b

entry vector_matrix [n] [m] (x: [n]f32) (a: [n][m]f32) : [m]f32 = map (\c -> dot x c) (transpose a)

entry atax [n] [m] (a: [n][m]f32) (x: [m]f32) : [m]f32 =
  let y = map (\r -> dot r x) a
  in map (\c -> dot c y) (transpose a)

-- Two matrices times the same vector.
entry gesummv [n] [m] (a: [n][m]f32) (b: [n][m]f32) (x: [m]f32) : [n]f32 =
  map2 (\r s -> 1.5 * dot r x + 0.5 * dot s x) a b

-- Attention of one head.
entry attention [n] [d] (q: [n][d]f32) (k: [n][d]f32) (v: [n][d]f32) : [n][d]f32 =
  map (\qr ->
         let scores = map (\kr -> dot qr kr / f32.sqrt (f32.i64 d)) k
         let top = f32.maximum scores
         let weights = map (\s -> f32.exp (s - top)) scores
         let total = f32.sum weights
         in map (\c -> dot weights c / total) (transpose v))
      q

-- A product of three matrices of small size for each point of a batch.
entry congruent [k] [n] (a: [k][n][n]f32) (b: [k][n][n]f32) : [k][n][n]f32 =
  map2 (\x y -> matmul (matmul (transpose x) y) x) a b

-- The lower half of a product with its transpose.
entry half_product [n] [m] (a: [n][m]f32) : [n][n]f32 =
  tabulate_2d n n (\i j -> if j <= i then dot a[i] a[j] else 0)

-- The nearest of the centres of each point, and how far it is.
entry nearest [n] [m] [d] (xs: [n][d]f32) (cs: [m][d]f32) : ([n]i64, [n]f32) =
  unzip (map (\x ->
                let ds = map (\c -> f32.sum (map2 (\a b -> (a - b) * (a - b)) x c)) cs
                in reduce_comm (\(i, a) (j, b) -> if a < b || (a == b && i < j) then (i, a) else (j, b))
                               (i64.highest, f32.inf) (zip (iota m) ds))
             xs)
