-- Breaks in time series with missing samples (NaN), as satellites make them: fit a trend and a few harmonics to the
-- history of each series by least squares, follow the moving sum of what the fit leaves unexplained, and report where it
-- first leaves its bounds (counted from the end of the history; -1 if never) and its mean.
--
-- Parallelism: series x (samples, or regressors x regressors with reductions over samples), then the inversion of a
-- small matrix for each series, and scans over the samples. Sizes of the parts differ in each stage: a thread block for
-- a series, with everything in shared memory, is best where a series fits; with very many series the parts that are
-- small (the inversion) may run in one thread each.
-- ==
-- "small" input @ data/bfast/small.in
-- output @ data/bfast/small.out

-- Regressors: one, the time, and sine and cosine of each harmonic.
def regressors (harmonics: i64) (period: f32) (n: i64) : [2 + 2 * harmonics][n]f32 =
  tabulate_2d (2 + 2 * harmonics) n (\k t ->
    let time = f32.i64 (t + 1)
    let angle = 2 * f32.pi * f32.i64 (k / 2) * time / period
    in if k == 0 then 1
       else if k == 1 then time / f32.i64 n
       else if k % 2 == 0 then f32.sin angle
       else f32.cos angle)

-- Solve a small symmetric positive system by elimination on the extended matrix.
def solve [k] (a: [k][k]f32) (b: [k]f32) : [k]f32 =
  let m = tabulate_2d k (k + 1) (\i j -> if j < k then a[i, j] else b[i])
  let m =
    loop m for p < k do
      let pivot = m[p, p]
      in tabulate_2d k (k + 1) (\i j ->
           if i == p then m[p, j] / pivot else m[i, j] - m[i, p] * m[p, j] / pivot)
  in tabulate k (\i -> m[i, k])

def is_there (y: f32) : bool = !(f32.isnan y)

def monitor [k] [n] (history: i64) (window: f32) (lambda: f32) (xs: [k][n]f32) (ys: [n]f32) : (i32, f32) =
  let weights = map f32.bool (tabulate n (\t -> t < history && is_there ys[t]))
  let values = map (\y -> if is_there y then y else 0) ys
  let moment (a: [n]f32) (b: [n]f32) = f32.sum (map3 (\w a b -> w * a * b) weights a b)
  let beta = solve (map (\a -> map (moment a) xs) xs) (map (moment values) xs)
  -- What the fit leaves, with the missing samples squeezed out; places says where each sample was.
  let fit = map (\column -> f32.sum (map2 (*) beta column)) (transpose xs)
  let upto = scan (+) 0 (map (is_there >-> i64.bool) ys)
  let at = map2 (\y k -> if is_there y then k - 1 else -1) ys upto
  let errors = scatter (replicate n 0) at (map2 (-) values fit)
  let places = scatter (replicate n 0) at (iota n)
  let count = if n == 0 then 0 else upto[n - 1]
  let past = if history == 0 then 0 else upto[history - 1]
  in if past <= k || count == past then (-1, 0)
     else
     let squares = map2 (\i e -> if i < past then e * e else 0) (iota n) errors
     let sigma = f32.sqrt (f32.sum squares / f32.i64 (past - k))
     let h = i64.max 1 (i64.f32 (f32.i64 past * window))
     let first = f32.sum (map2 (\i e -> if i > past - h && i <= past then e else 0) (iota n) errors)
     let change j =
       if j == 0 then first
       else if past + j < count then errors[past + j] - errors[past + j - h]
       else 0
     let sums = map (/ (sigma * f32.sqrt (f32.i64 past))) (scan (+) 0 (tabulate n change))
     let bound j =
       let ratio = f32.i64 (places[past + j] + 1) / f32.i64 history
       in lambda * f32.sqrt (if ratio > f32.e then f32.log ratio else 1)
     let breaks j = past + j < count && f32.abs sums[j] > bound j
     let where = reduce_comm i64.min n (map (\j -> if breaks j then j else n) (iota n))
     let mean = f32.sum (map2 (\j s -> if past + j < count then s else 0) (iota n) sums) / f32.i64 (count - past)
     in (if where == n then -1 else i32.i64 (places[past + where] - history), mean)

def main [m] [n] (harmonics: i64) (period: f32) (history: i64) (window: f32) (lambda: f32) (series: [m][n]f32)
                 : ([m]i32, [m]f32) =
  let xs = regressors harmonics period n
  in unzip (map (monitor (assert (history <= n) history) window lambda xs) series)
