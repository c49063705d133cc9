-- Arrays that take the place of arrays which are consumed or needed no more.

-- Each element replaces the one that it is computed from.
-- ==
-- entry: own
-- input { [1, 2, 3, 4, 5] }
-- output { [3, 4, 5, 6, 7] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
entry own [n] (xs: *[n]i32) : [n]i32 = map (+ 2) xs

-- Elements of others are read, so that the old array has to stay until the end.
-- ==
-- entry: neighbours
-- input { [1, 2, 3, 4, 5] }
-- output { [3, 5, 7, 9, 6] }
entry neighbours [n] (xs: *[n]i32) : [n]i32 = map (\i -> xs[i] + xs[(i + 1) % n]) (iota n)

-- ==
-- entry: backwards
-- input { [1, 2, 3, 4, 5] }
-- output { [11, 10, 9, 8, 7] }
entry backwards [n] (xs: *[n]i32) : [n]i32 = map (\i -> xs[n - 1 - i] * 2 + xs[i]) (iota n)

-- Two results, and one old array.
-- ==
-- entry: two
-- input { [1, 2, 3] }
-- output { [2, 3, 4] [2, 4, 6] }
entry two [n] (xs: *[n]i32) : ([n]i32, [n]i32) = unzip (map (\x -> (x + 1, x * 2)) xs)

-- Two old arrays, and each is read where the other's element would go.
-- ==
-- entry: crossed
-- input { [1, 2, 3] [10, 20, 30] }
-- output { [31, 22, 13] [-9, -18, -27] }
entry crossed [n] (xs: *[n]i32) (ys: *[n]i32) : ([n]i32, [n]i32) =
  (map (\i -> xs[i] + ys[n - 1 - i]) (iota n), map2 (-) xs ys)

-- The old array is still needed afterwards.
-- ==
-- entry: later
-- input { [1, 2, 3] }
-- output { [2, 4, 6] 6 }
entry later [n] (xs: *[n]i32) : ([n]i32, i32) =
  let ys = #[opaque] map (* 2) xs
  in (ys, #[opaque] i32.sum xs)

-- Not all of the old array is replaced at its own place.
-- ==
-- entry: turned
-- input { [[1, 2], [3, 4]] }
-- output { [[2, 4], [3, 5]] }
entry turned [n] (xss: *[n][n]i32) : [n][n]i32 = map (map (+ 1)) (transpose xss)

-- Elements of another size.
-- ==
-- entry: wider
-- input { [1, 2, 3] }
-- output { [2i64, 3i64, 4i64] }
entry wider [n] (xs: *[n]i32) : [n]i64 = map (\x -> i64.i32 x + 1) xs

-- Elements of the same size, and another type.
-- ==
-- entry: floats
-- input { [1, 2, 3] }
-- output { [1.5f32, 2.5f32, 3.5f32] }
entry floats [n] (xs: *[n]i32) : [n]f32 = map (\x -> f32.i32 x + 0.5) xs

-- A chain, in which each array is needed only for the next.
-- ==
-- entry: chain
-- input { [1, 2, 3, 4] }
-- output { [2, 6, 12, 4] }
entry chain [n] (xs: [n]i32) : [n]i32 =
  let ys = #[opaque] scan (+) 0 xs
  let zs = #[opaque] map2 (\y x -> y + x) ys (rotate 1 xs)
  in #[opaque] map3 (\z x y -> (z - y) * x) zs xs ys

-- In a loop, and in a branch.
-- ==
-- entry: rounds
-- input { 3i64 [1, 2, 3] true }
-- output { [36, 44, 52] }
-- input { 3i64 [1, 2, 3] false }
-- output { [13, 14, 15] }
-- input { 0i64 [1, 2, 3] false }
-- output { [1, 2, 3] }
entry rounds [n] (k: i64) (xs: *[n]i32) (b: bool) : [n]i32 =
  loop xs for _i < k do
    let ys = #[opaque] scan (+) 0 xs
    let zs = #[opaque] map2 (-) ys (rotate (-1) ys)
    let zs' = zs with [0] = ys[0]
    in if b then map (\z -> z * 2 + 4) zs' else map2 (\z (_: i32) -> z + 4) zs' (rotate 1 zs')

-- The same array several times.
-- ==
-- entry: twice
-- input { [1, 2] }
-- output { [3, 6, 3, 6] [[3, 6], [3, 4], [3, 6], [3, 6]] 9 }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([4][0]i32) 0 }
entry twice [n] (a: [n]i32) : ([]i32, [4][n]i32, i32) =
  let b = #[opaque] map (* 3) a
  let c = #[opaque] map (+ 2) a
  let d = #[opaque] map (* 3) a
  in (concat b b, [d, c, d, d], i32.sum b)
