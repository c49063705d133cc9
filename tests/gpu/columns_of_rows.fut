-- Columns that are reduced and mapped several times: which version runs depends on how much is read with each element.
-- ==
-- entry: softmax_columns standardised columns_of_planes
-- input { 0i64 5i64 } auto output
-- input { 5i64 0i64 } auto output
-- input { 70i64 40i64 } auto output
-- input { 3i64 3000i64 } auto output
-- input { 3000i64 3i64 } auto output

def grid (n: i64) (m: i64) : [n][m]f32 = tabulate_2d n m (\i j -> f32.i64 ((i * 31 + j * 17) % 64) / 16)

def softmax [n] (xs: [n]f32) : [n]f32 =
  let top = f32.maximum xs
  let es = map (\x -> f32.exp (x - top)) xs
  let s = f32.sum es
  in map (/ s) es

entry softmax_columns (n: i64) (m: i64) : [n][m]f32 = transpose (map softmax (transpose (opaque (grid n m))))

entry standardised (n: i64) (m: i64) : [n][m]f32 =
  let xs = opaque (grid n m)
  let columns = transpose xs
  let means = map (\c -> f32.sum c / f32.i64 n) columns
  let vars = map2 (\c m -> f32.sum (map (\x -> (x - m) * (x - m)) c) / f32.i64 n) columns means
  in map (\x -> map3 (\v m s -> (v - m) / f32.sqrt (s + 1e-5)) x means vars) xs

entry columns_of_planes (n: i64) (m: i64) : [4][m][n]f32 =
  map (\k -> map softmax (transpose (map (map (+ f32.i64 k)) (opaque (grid n m))))) (iota 4)
