-- Loops under a nest whose points as a whole cannot be in thread blocks: each such loop has a version in blocks of its own.
-- ==
-- entry: factored kept_rows two_results summed_rows
-- random input { [3][16][16]i64 2i64 } auto output
-- random input { [1][16][16]i64 0i64 } auto output
-- random input { [40][16][16]i64 3i64 } auto output

-- What comes after has another size in each step of the outer loop, so that no block can hold it.
def tail_sum [n] (xs: [n]i64) (s: i64) = i64.sum (map (* 3) (scan (+) 0 xs[s:]))

def eliminate [n] (m0: [n][n]i64) =
  loop m = copy m0
  for i < n - 1 do
    let col = map (\j -> if j > i then m[j, i] - i64.sum (map2 (*) m[j, :i] m[:i, i]) else m[j, i]) (iota n)
    let m[:, i] = col
    let row = map (\j -> if j > i then m[i + 1, j] ^ m[i, j] else m[i + 1, j]) (iota n)
    let m[i + 1] = row
    in m

entry factored [k] [n] (ms: [k][n][n]i64) (steps: i64) =
  map (\m ->
         loop m for s < steps do
           let d = eliminate m
           let t = tail_sum d[s] s
           in map (map (+ t)) d)
      ms

-- The rows that a loop starts from are used after it.
entry kept_rows [k] [n] (ms: [k][n][n]i64) (steps: i64) =
  map (\m ->
         loop m for s < steps do
           let xs = m[s]
           let ys =
             loop ys = copy xs
             for i < n do
               let y = ys[i] + i64.maximum ys
               let ys[i] = y
               in map2 (\j x -> if j < i then x else x - y) (iota n) ys
           let t = tail_sum ys s + tail_sum xs s
           in map (map2 (\x y -> x + y * t) ys) m)
      ms

-- One of two results is not changed in place, and a number goes along.
entry two_results [k] [n] (ms: [k][n][n]i64) (steps: i64) =
  map (\m ->
         loop (m, c) = (m, 0)
         for s < steps do
           let (xs, ys, d) =
             loop (xs, ys, d) = (copy m[s], m[s + 1], c)
             for i < 5 do
               let ys = map2 (\x y -> x + y + d) xs ys
               let xs[i] = i64.sum ys
               in (xs, ys, d + ys[i])
           let t = tail_sum xs s
           in (map (map2 (\y x -> x + y * t) ys) m, d))
      ms
  |> unzip

-- What the iterations reduce is as wide as the block.
entry summed_rows [k] [n] (ms: [k][n][n]i64) (steps: i64) =
  map (\m ->
         loop m for s < steps do
           let xs =
             loop xs = replicate n 1
             for i < n do
               let x = m[i, i] - i64.sum (map2 (*) m[i] xs)
               let xs[i] = x
               in xs
           let t = tail_sum xs s
           in map (map (+ t)) m)
      ms
