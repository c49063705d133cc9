-- Scatters of concatenations: parts of one size are written side by side, others are not.
-- ==
-- entry: halves
-- input { [1i64, 2i64, 3i64, 4i64] } output { [3i64, 4i64, 5i64, 6i64, 10i64, 20i64, 30i64, 40i64] }
-- input { empty([0]i64) } output { empty([0]i64) }
-- input { [7i64] } output { [9i64, 70i64] }

-- ==
-- entry: three
-- input { [1i32, 2i32] } output { [1i32, 2i32, 3i32, 2i32, 4i32, 6i32, 0i32] }

-- ==
-- entry: uneven
-- input { [1i32, 2i32] [5i32, 6i32, 7i32] } output { [1i32, 2i32, 5i32, 6i32, 7i32] }

-- ==
-- entry: own
-- input { [1i32, 2i32, 3i32, 4i32] } output { [3i32, 4i32, 1i32, 2i32] }

-- ==
-- entry: one_value
-- input { [0i64, 3i64] [5i64, 9i64] } output { [8i32, 0i32, 0i32, 8i32, 0i32, 8i32] }

-- ==
-- entry: rows
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [[3i32, 6i32], [1i32, 2i32], [9i32, 12i32], [3i32, 4i32]] }

-- ==
-- entry: swapped
-- input { 3i64 [[1i32, 2i32, 3i32, 4i32], [5i32, 6i32, 7i32, 8i32]] }
-- output { [[11i32, 13i32, 12i32, 14i32], [19i32, 21i32, 20i32, 22i32]] }
-- input { 0i64 [[1i32, 2i32]] } output { [[2i32, 4i32]] }

-- ==
-- entry: in_branch
-- input { true [1i64, 0i64] } output { [20i64, 10i64, 11i64, 21i64] }
-- input { false [1i64, 0i64] } output { [0i64, 0i64, 0i64, 0i64] }

entry halves [n] (xs: [n]i64) : []i64 =
  let (is, vs, js, ws) = unzip4 (map2 (\i x -> (i, x + 2, n + i, x * 10)) (iota n) xs)
  in scatter (replicate (2 * n) 0) (is ++ js) (vs ++ ws)

entry three [n] (xs: [n]i32) : []i32 =
  scatter (replicate (3 * n + 1) 0i32)
          (map (* 3) (iota n) ++ map (\i -> 3 * i + 1) (iota n) ++ map (\i -> 3 * i + 2) (iota n))
          (xs ++ map (* 2) xs ++ map (* 3) xs)

entry uneven [n] [m] (xs: [n]i32) (ys: [m]i32) : []i32 =
  scatter (replicate (n + m) 0) (iota n ++ map (+ n) (iota m)) (xs ++ ys)

-- The values are of the array that is written.
entry own [n] (xs: *[n]i32) : [n]i32 =
  let h = n / 2
  in scatter xs (map (+ h) (iota h) ++ iota h) (copy (take h xs) ++ copy (take h (drop h xs)))

entry one_value [n] (is: [n]i64) (js: [n]i64) : []i32 =
  scatter (replicate 6 0i32) (is ++ js) (replicate (n + n) 8)

entry rows [n] (xss: [n][2]i32) : [][2]i32 =
  scatter (replicate (2 * n) [0, 0])
          (map (\i -> 2 * i + 1) (iota n) ++ map (* 2) (iota n))
          (xss ++ map (map (* 3)) xss)

-- Two arrays take turns: one is read, the other is written.
entry swapped [m] [n] (k: i64) (xss: [m][n]i32) : [m][n]i32 =
  let steps (xs: [n]i32) =
    let h = n / 2
    let (p, q) =
      loop (p: *[n]i32, q: *[n]i32) = (copy xs, copy xs) for _i < k do
        let (is, vs, js, ws) = unzip4 (map (\j -> (j, p[j + h] + 1, j + h, p[j] + 2)) (iota h))
        in (scatter q (is ++ js :> [n]i64) (vs ++ ws :> [n]i32), p)
    in map2 (+) p q
  in map steps xss

entry in_branch [n] (go: bool) (is: [n]i64) : []i64 =
  let ys = replicate (2 * n) 0i64
  in if go
     then scatter ys
                  (is ++ map (+ n) (iota n))
                  (map (\i -> 10 * i + 10) (iota n) ++ map (\i -> 10 * i + 11) (iota n))
     else ys
