-- What happens between kernels: copies, slices, updates, reads of single elements, sizes known late.
-- ==
-- entry: concatenated
-- random input { [100]i32 [57]i32 } auto output
-- input { empty([0]i32) [1] } auto output

-- Scalars that only kernels need: the host does not wait for them.
-- ==
-- entry: descent
-- input { 0i32 [1.0f64, 2.0f64, 3.0f64] [2.0f64, 1.0f64, 5.0f64] } auto output
-- random input { 5i32 [1000]f64 [1000]f64 } auto output

-- ==
-- entry: from_ends
-- random input { [100]i32 } auto output
-- input { [7] } auto output

-- ==
-- entry: swapped
-- random input { [100]i32 } auto output
-- input { [7] } auto output

-- ==
-- entry: carried
-- input { [5, 6, 7, 8, 9] } auto output
-- random input { [100]i32 } auto output

-- ==
-- entry: updated
-- random input { [100]i32 } auto output

-- ==
-- entry: sliced
-- random input { [100][20]i32 } auto output

-- ==
-- entry: element
-- random input { [100]i32 } auto output

-- ==
-- entry: literal
-- random input { i32 } auto output

-- ==
-- entry: table
-- random input { [100]i32 } auto output

-- ==
-- entry: looped
-- random input { [1000]i32 } auto output

-- ==
-- entry: halving
-- random input { [1000]i32 } auto output

-- ==
-- entry: replicated
-- random input { [10]i32 } auto output

-- ==
-- entry: transposed
-- random input { [33][65]i8 } auto output
-- random input { [100][1]i8 } auto output

-- ==
-- entry: permuted
-- random input { [5][6][7]i64 } auto output

-- ==
-- entry: flattened
-- random input { [50][60]i16 } auto output

entry concatenated (xs: []i32) (ys: []i32) = concat (map (+ 1) xs) ys
entry updated (xs: []i32) = let ys = copy xs with [3] = 7 in ys with [10:20] = iota 10 |> map i32.i64
entry sliced (xss: [][]i32) = map i32.sum xss[10:50:3, ::-1]
entry element (xs: []i32) = let ys = scan (+) 0 xs in ys[length xs - 1] - ys[0]
entry literal (x: i32) = map (* x) [1, 2, 3, x, 5]
entry table (xs: []i32) = let t = [3i32, 1, 4, 1, 5, 9, 2, 6] in map (\x -> t[x & 7]) xs
entry looped (xs: []i32) = loop xs for _i < 20 do map2 (\x y -> x + (y >> 1)) xs (rotate 1 xs)
entry halving (xs: []i32) =
  loop xs = xs while length xs > 1 do
    let h = length xs / 2
    in map2 (+) (take h xs) (take h (drop h xs))
entry replicated (xs: []i32) = replicate 5 (replicate 3 (map (+ 2) xs))
entry transposed (xss: [][]i8) = transpose xss |> map (map (+ 1)) |> transpose |> copy |> transpose
entry permuted (xsss: [][][]i64) = map transpose (transpose xsss)
entry flattened [n][m] (xss: [n][m]i16) = flatten (transpose xss)

entry descent [n] (k: i32) (a: [n]f64) (b: [n]f64) =
  let dot xs ys = f64.sum (map2 (*) xs ys)
  in loop (x, r) = (replicate n 0, copy b) for _i < k do
       let alpha = dot r r / (1 + f64.abs (dot a r))
       in (map2 (\x r -> x + alpha * r) x r, map2 (\r a -> r - alpha * a) r a)

entry from_ends [n] (xs: [n]i32) =
  let x = xs[0]
  let ys = map (+ x) xs
  let y = ys[n - 1] + 2
  in map (* y) ys

entry swapped [n] (xs: *[n]i32) =
  let x = xs[0]
  let y = xs[n / 2]
  let xs = xs with [n / 2] = x
  in xs with [0] = y

entry carried [n] (xs: [n]i32) =
  loop xs = copy xs for i < n - 1 do
    let x = xs[i]
    let ys = map (\y -> y ^ x) xs
    in copy ys with [i + 1] = x
