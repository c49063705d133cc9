-- Maps that multiply a row of each point with a matrix that all points read: layers, and products with a factor for each. Small ones are done by threads or blocks for each point, large ones
-- (the last input) by kernels that share the matrix. The number of elements that differ from those of loops.
-- ==
-- entry: layers scaled
-- input { 3i64 5i64 4i64 2i64 } output { 0i64 }
-- input { 1i64 70i64 33i64 40i64 } output { 0i64 }
-- input { 1030i64 33i64 130i64 70i64 } output { 0i64 }

def number (i: i64) (j: i64) : i64 = (i * 31 + j * 17 + i * j) % 19 - 9
def matrix (n: i64) (m: i64) : [n][m]i64 = opaque (tabulate_2d n m number)
def dot [n] (xs: [n]i64) (ys: [n]i64) : i64 = i64.sum (map2 (*) xs ys)
def differing [n] [m] (rs: [n][m]i64) (f: i64 -> i64 -> i64) : i64 =
  i64.sum (flatten (tabulate_2d n m (\i j -> i64.bool (rs[i, j] != f i j))))

entry layers (n: i64) (d: i64) (h: i64) (o: i64) : i64 =
  let (xs, w1, w2) = (matrix n d, matrix h d, matrix o h)
  let rs = opaque (map (\x -> let y = map (\w -> i64.max 0 (dot x w)) w1 in map (dot y) w2) xs)
  let hidden = opaque (tabulate_2d n h (\i j -> loop s = 0 for k < d do s + number i k * number j k))
  in differing rs (\i j -> loop s = 0 for k < h do s + i64.max 0 hidden[i, k] * number j k)

entry scaled (n: i64) (d: i64) (h: i64) (o: i64) : i64 =
  let (a, b) = (matrix n d, matrix d h)
  let factors = opaque (map (\i -> i % 5 - 2) (iota (o / 16 + 1)))
  let rs = opaque (map (\f -> map (\r -> let t = map (* f) r in map (dot t) (transpose b)) a) factors)
  let of k i j = loop s = 0 for l < d do s + (k % 5 - 2) * number i l * number l j
  in i64.sum (tabulate (o / 16 + 1) (\k -> differing rs[k] (of k)))
