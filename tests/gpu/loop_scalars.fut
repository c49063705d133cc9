-- Scalars that loops carry, and kernels compute.
-- ==
-- entry: best
-- input { 5i64 [3, -1, 7] } output { [13, 9, 17] 17 }
-- input { 0i64 [3, -1, 7] } output { [3, -1, 7] 0 }

-- ==
-- entry: size_of_a_kernel
-- input { 4i64 [1i64, -2i64, 4i64] } auto output

-- ==
-- entry: recursion
-- random input { [50]f64 } auto output

-- ==
-- entry: nested
-- random input { 3i64 [100]i32 } auto output

-- ==
-- entry: in_branch
-- random input { 7i64 [100]i32 } auto output

entry best [n] (steps: i64) (xs: [n]i32) =
  loop (xs, best) = (xs, 0) for i < steps do
    let ys = map (+ i32.i64 i) xs
    in (ys, i32.max best (i32.maximum ys))

entry size_of_a_kernel [n] (steps: i64) (xs: [n]i64) =
  (loop (ys, k) = (xs, n) for _i < steps do
    let s = i64.sum (take (i64.min n (i64.abs k)) ys)
    in (map (+ s) ys, s)).0

entry recursion [n] (r: [n]f64) : *[n]f64 =
  let y = replicate n 0
  in (loop (y, alpha, beta) = (y, 2, 1f64) for k < n do
      let beta = (1 - alpha * alpha) * beta + 3
      let sum = f64.sum (map2 (*) r y)
      let alpha = (r[k] + sum) / (beta * beta + f64.i64 n * f64.i64 n)
      let y = map (\x -> x + alpha) y
      let y[k] = alpha
      in (y, alpha, beta)).0

-- The scalar of an inner loop begins with that of the outer one.
entry nested [n] (steps: i64) (xs: [n]i32) =
  loop (xs, a, b) = (xs, 1, 2) for i < steps do
    let (xs, c) = loop (xs, c) = (xs, a) for j < i + 1 do
      let ys = map (\x -> x * 3 + c - b) xs
      in (ys, c * 5 + i32.sum ys + i32.i64 j)
    in (xs, b, c)

entry in_branch [n] (steps: i64) (xs: [n]i32) =
  loop (xs, a) = (xs, 1) for i < steps do
    let b = if i % 2 == 0 then i32.sum (map (* a) xs) else a + 1
    in (map (+ b) xs, b ^ 7)
