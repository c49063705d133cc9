-- Parts of matrices that are cast to sizes with other names, known to be the same or checked, and read after they were replaced.
-- ==
-- entry: cholesky
-- input { [[4f64, 12f64, -16f64], [12f64, 37f64, -43f64], [-16f64, -43f64, 98f64]] } auto output
-- entry: checked
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32], [7i32, 8i32, 9i32]] 2i64 } auto output
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32], [7i32, 8i32, 9i32]] 3i64 } error: .
-- entry: replaced
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32], [7i32, 8i32, 9i32]] [10i32, 20i32] 1i64 } auto output
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32], [7i32, 8i32, 9i32]] [10i32, 20i32] 0i64 } auto output

entry cholesky [n] (A: [n][n]f64) : [n][n]f64 =
  let A =
    loop A = copy A for j in 0..<n do
      let m = n - j - 1
      let A[j, j] = f64.sqrt (copy A[j, j])
      let A[j + 1:, j] = map (/ A[j, j]) A[j + 1:n, j]
      let v = A[j + 1:n, j] :> [m]f64
      let product = map (\x -> map (* x) v) v
      let mat = A[j + 1:n, j + 1:n] :> [m][m]f64
      let A[j + 1:n, j + 1:n] = map2 (map2 (-)) mat product
      in A
  in tabulate_2d n n (\i j -> if j <= i then A[i, j] else 0)

entry checked [n] (xss: [n][n]i32) (k: i64) : [k][k]i32 =
  let part = xss[1:, 1:] :> [k][k]i32
  in map2 (map2 (+)) part (transpose part)

-- What was put there is changed meanwhile, or other elements of the array are.
entry replaced [n] (xss: *[n][n]i32) (ys: [2]i32) (j: i64) =
  let zs = map (+ 1) ys
  let xss[1:3, j] = zs
  let a = map (* 2) xss[1:3, j]
  let xss[2, 0] = 100
  let b = map (* 3) xss[1:3, j]
  let zs = map (+ 5) zs
  let xss[j, 0:2] = zs
  let zs = zs with [0] = 7
  let c = map (* 5) xss[j, 0:2]
  in (xss, a, b, c, zs)
