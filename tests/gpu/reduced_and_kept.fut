-- What is reduced or scanned is also a result, and each element is parallel inside: the map and the reduction are kernels of their own.
-- ==
-- entry: largest sums
-- random input { [7][5]f32 [9][5]f32 } auto output
-- random input { [40][33]f32 [300][33]f32 } auto output
-- random input { [3][8]f32 [0][8]f32 } auto output

def dot [d] (p: [d]f32) (q: [d]f32) = f32.sum (map2 (*) p q)

entry largest [n][m][d] (qs: [m][d]f32) (ps: [n][d]f32) =
  map (\q -> let s = map (\p -> dot p q) ps in (f32.maximum s, s)) qs |> unzip

entry sums [n][m][d] (qs: [m][d]f32) (ps: [n][d]f32) =
  map (\q -> let s = map (\p -> i32.f32 (dot p q)) ps in (scan (+) 0 s, s)) qs |> unzip
