-- Parallelism inside of maps behind checks, sizes that are computed but the same everywhere, branches and loops.
-- ==
-- entry: behind_check behind_division behind_branch
-- random input { 3i64 [20][12]i32 } auto output
-- random input { 1i64 [200][1]i32 } auto output
-- random input { 5i64 [2][1000]i32 } auto output
-- random input { 7i64 [0][14]i32 } auto output

-- ==
-- entry: behind_check
-- input { 0i64 empty([0][3]i32) } output { empty([0][3]i32) }
-- input { 5i64 [[1, 2, 3]] } error: Assertion
-- input { 0i64 [[1, 2, 3]] } error: division by zero

-- ==
-- entry: windows computed_size shrinking
-- random input { [20][64]i32 } auto output
-- random input { [1][32]i32 } auto output
-- random input { [300][33]i32 } auto output

-- ==
-- entry: checked_rows
-- input { 1i64 [[1, 2, 3], [4, 5, 6]] } output { [[3, 4, 5], [9, 10, 11]] }
-- input { 3i64 [[1, 2, 3], [4, 5, 6]] } error: out of bounds
-- input { 0i64 empty([2][0]i32) } error: out of bounds
-- input { 0i64 empty([0][2]i32) } output { empty([0][2]i32) }

-- ==
-- entry: checked_in_loop
-- input { 2i64 [[1, 2, 3], [4, 5, 6]] } output { [[7, 8, 9], [16, 17, 18]] }
-- input { 9i64 [[1, 2, 3], [4, 5, 6]] } error: out of bounds

-- ==
-- entry: wavefronts
-- random input { 5i64 [3][10]i32 } auto output
-- random input { 33i64 [40][40]i32 } auto output
-- random input { 1i64 [1][1]i32 } auto output

entry behind_check [k][n] (b: i64) (xss: [k][n]i32) =
  map (\xs -> let q = assert (n % b == 0) (n / b)
              let firsts = tabulate q (\i -> xs[i * b])
              let total = i32.sum firsts
              in map (+ total) xs) xss

entry behind_division [k][n] (b: i64) (xss: [k][n]i32) =
  map (\xs -> let q = n / b
              in take (q * b) (flatten (tabulate q (\i -> tabulate b (\j -> xs[i * b + j] + i32.i64 j))))) xss

entry behind_branch [k][n] (b: i64) (xss: [k][n]i32) =
  map (\xs -> if n < 10 then scan (+) 0 xs
              else let q = n / b
                   let s = scan (+) 0 (tabulate q (\i -> xs[i * b]))
                   in map (\x -> x + s[q - 1]) xs) xss

entry windows [k][n] (xss: [k][n]i32) =
  map (\i -> let b = 8
             let w = xss[i, i % 4 * b : i % 4 * b + b]
             let v = xss[i, i % 4 * b : i % 4 * b + b / 2 + 1]
             in i32.sum (scan (+) 0 w) + i32.product (scan i32.max i32.lowest v)) (iota k)

entry computed_size [k][n] (xss: [k][n]i32) =
  map (\xs -> let p = loop p = 1 while p < n do 2 * p
              let padded = tabulate p (\i -> if i < n then xs[i] else 0)
              in take n (scan (+) 0 (scan i32.max i32.lowest padded))) xss

entry shrinking [k][n] (xss: [k][n]i32) =
  map (\xs -> let (r, _) = loop (s, ys) = (0, copy xs) for i < n - 1 do
                  let zs = map2 (+) (take (n - 1 - i) ys) (take (n - 1 - i) (drop 1 ys))
                  in (s + i32.sum zs, (copy ys) with [:n - 1 - i] = zs)
              in r) xss

entry checked_rows [n][m] (k: i64) (xss: [n][m]i32) : [n][m]i32 =
  map (\xs -> let y = xs[k] in map (\x -> x + y) xs) xss

entry checked_in_loop [n][m] (k: i64) (xss: [n][m]i32) : [n][m]i32 =
  map (\xs -> let y = xs[k] in loop ys = xs for _i < 2 do map (\x -> x + y) ys) xss

entry wavefronts [q][n] (b: i64) (xss: [q][n]i32) =
  map (\xs -> let w = unflatten (replicate ((b + 1) * (b + 1)) 0i32) :> [b + 1][b + 1]i32
              let w[0, 1:] = xs[0:b] :> [b]i32
              let w[0:b + 1, 0] = xs[0:b] ++ [1] :> [b + 1]i32
              in loop w for m < b do
                   let is = tabulate b (\t -> if t > m then (-1, -1) else (m - t + 1, t + 1))
                   let vs = tabulate b (\t -> if t > m then 0 else i32.max w[m - t, t] w[m - t, t + 1] + 1)
                   in scatter_2d w is vs) xss
