-- Rows, columns and their neighbours.

def softmax [n] (xs: [n]f32) : [n]f32 =
  let top = f32.maximum xs
  let es = map (\x -> f32.exp (x - top)) xs
  let s = f32.sum es
  in map (/ s) es

entry softmax_of_three [a] [b] [c] (xs: [a][b][c]f32) : [a][b][c]f32 = map (map softmax) xs

entry softmax_columns [n] [m] (xs: [n][m]f32) : [n][m]f32 = transpose (map softmax (transpose xs))

-- How wrong predictions are, of a label for each row.
entry cross_entropy [n] [m] (xs: [n][m]f32) (labels: [n]i64) : f32 =
  let losses =
    map2 (\x l ->
            let top = f32.maximum x
            in f32.log (f32.sum (map (\v -> f32.exp (v - top)) x)) + top - x[l])
         xs labels
  in f32.sum losses / f32.i64 n

entry layer_norm [n] [m] (xs: [n][m]f32) (ys: [n][m]f32) (gamma: [m]f32) (beta: [m]f32) : [n][m]f32 =
  map2 (\x y ->
          let z = map2 (+) x y
          let mean = f32.sum z / f32.i64 m
          let var = f32.sum (map (\v -> (v - mean) ** 2) z) / f32.i64 m
          in map3 (\v g b -> (v - mean) / f32.sqrt (var + 1e-5) * g + b) z gamma beta)
       xs ys

entry rms_norm [n] [m] (xs: [n][m]f32) (w: [m]f32) : [n][m]f32 =
  map (\x ->
         let scale = 1 / f32.sqrt (f32.sum (map (\v -> v * v) x) / f32.i64 m + 1e-6)
         in map2 (\v g -> v * scale * g) x w)
      xs

-- Columns to mean zero and variance one.
entry standardised [n] [m] (xs: [n][m]f32) : [n][m]f32 =
  let columns = transpose xs
  let means = map (\c -> f32.sum c / f32.i64 n) columns
  let vars = map2 (\c m -> f32.sum (map (\x -> (x - m) * (x - m)) c) / f32.i64 n) columns means
  in map (\x -> map3 (\v m s -> (v - m) / f32.sqrt (s + 1e-5)) x means vars) xs

entry sums_of_slices [n] [m] (from: i64) (to: i64) (xs: [n][m]f32) : [n]f32 = map (\x -> f32.sum x[from:to]) xs

entry sums_of_joined [n] [m] [k] (xs: [n][m]f32) (ys: [n][k]f32) : [n]f32 = map2 (\x y -> f32.sum (x ++ y)) xs ys

entry sums_of_three [n] [m] (xs: [n][m]f32) (ys: [n][m]f32) (zs: [n][m]f32) : [n]f32 =
  map3 (\x y z -> f32.sum (map3 (\a b c -> a * b + c) x y z)) xs ys zs

entry every_other [n] [m] (xs: [n][m]f32) : [n]f32 = map (\x -> f32.sum x[::2]) xs

entry sums_backwards [n] [m] (xs: [n][m]f32) : [n][m]f32 = map (\x -> reverse (scan (+) 0 (reverse x))) xs

entry differences [n] [m] (xs: [n][m]f32) : [n][m]f32 =
  map (\x -> map2 (-) x (rotate (-1) x)) xs

-- Where the largest of each row, and of each column, is.
def largest [n] (xs: [n]f32) : i64 =
  (reduce_comm (\(i, a) (j, b) -> if a > b || (a == b && i < j) then (i, a) else (j, b)) (i64.highest, -f32.inf)
               (zip (iota n) xs)).0
entry largest_of_rows [n] [m] (xs: [n][m]f32) : [n]i64 = map largest xs
entry largest_of_columns [n] [m] (xs: [n][m]f32) : [m]i64 = map largest (transpose xs)

-- Limits, sum and squares of each row, at a time.
entry moments [n] [m] (xs: [n][m]f32) : ([n]f32, [n]f32, [n]f32) =
  unzip3 (map (\x -> (f32.sum x, f32.sum (map (\v -> v * v) x), f32.maximum x)) xs)

-- How many of each row are above its mean.
entry above_mean [n] [m] (xs: [n][m]f32) : [n]i64 =
  map (\x -> let mean = f32.sum x / f32.i64 m in i64.sum (map (\v -> i64.bool (v > mean)) x)) xs

-- Sums of squares, of rows of rows.
entry sums_of_planes [a] [b] [c] (xs: [a][b][c]f32) : [a]f32 = map (\p -> f32.sum (map (\r -> f32.sum (map (\x -> x * x) r)) p)) xs
entry sums_of_middle [a] [b] [c] (xs: [a][b][c]f32) : [a][c]f32 = map (\p -> map f32.sum (transpose p)) xs
entry sums_of_outer [a] [b] [c] (xs: [a][b][c]f32) : [b][c]f32 = reduce (map2 (map2 (+))) (replicate b (replicate c 0)) xs

-- Rows of 32 in order.
entry sorted_rows [n] (xs: [n][32]i32) : [n][32]i32 =
  map (\x ->
         loop x = copy x for _i < 32 do
           loop x for j < 31 do
             let a = copy x[j]
             let b = copy x[j + 1]
             let x[j] = i32.min a b
             let x[j + 1] = i32.max a b
             in x)
      xs

-- A bit of each row, by a mask: columns that are chosen by place.
entry chosen_columns [n] [m] [k] (is: [k]i64) (xs: [n][m]f32) : [n][k]f32 = map (\x -> map (\i -> x[i]) is) xs

-- Pictures of three colours, records, to grey and back.
type colour = {r: f32, g: f32, b: f32}
entry grey [n] [m] (rs: [n][m]f32) (gs: [n][m]f32) (bs: [n][m]f32) : [n][m]f32 =
  let pixels = map3 (map3 (\r g b : colour -> {r, g, b})) rs gs bs
  in map (map (\(p: colour) -> 0.3 * p.r + 0.59 * p.g + 0.11 * p.b)) pixels
entry grey_of_rows [n] [m] (pixels: [n][m][3]f32) : [n][m]f32 =
  map (map (\p -> 0.3 * p[0] + 0.59 * p[1] + 0.11 * p[2])) pixels

-- The first differences of columns, and their absolute sum.
entry variation [n] [m] (xs: [n][m]f32) : [m]f32 =
  map (\c -> f32.sum (map2 (\a b -> f32.abs (a - b)) (tail c) (init c))) (transpose xs)

-- A filter of each row with the row before it (exponential smoothing), a thread for each column.
entry smoothed [n] [m] (xs: [n][m]f32) : [n][m]f32 =
  let (out, _) =
    loop (out, s) = (replicate n (replicate m 0), replicate m 0) for i < n do
      let s = map2 (\a b -> 0.9 * a + 0.1 * b) s xs[i]
      in (out with [i] = copy s, s)
  in out
