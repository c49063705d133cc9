-- Code that no point runs: sizes in it need be no sizes, and its checks are not made. Where a point runs it, its checks come before
-- whatever relies on them.
-- ==
-- entry: regular irregular
-- input { empty([0]i64) 0i64 } output { empty([0]i64) }
-- input { [1i64, 2i64] 0i64 } error: Range
-- input { [1i64, 2i64] 8i64 } auto output
-- input { [1i64, 2i64] 5i64 } auto output
entry regular [m] (ys: [m]i64) (n: i64) : [m]i64 =
  map (\y -> let zs = scan (+) 0 (map (* y) (iota (n - 5)))
             let s = reduce (+) 0 zs
             in reduce i64.max 0 (map (+ s) zs)) ys

entry irregular [m] (ys: [m]i64) (n: i64) : [m]i64 =
  map (\y -> let zs = map (+ y) (iota (n - 5))
             let k = reduce (+) 0 zs % 5
             in reduce (+) 0 (map (\i -> zs[i % length zs] * y) (iota k))) ys

-- A branch that no point takes, and elements that no point has.
-- ==
-- entry: branch elements
-- input { [1i64, 2i64, 3i64] 0i64 } output { [0i64, 2i64, 9i64] }
-- input { [1i64, 200i64, 3i64] 0i64 } error: (Range|size is negative)
-- input { [1i64, 200i64, 3i64] 9i64 } auto output
-- input { empty([0]i64) 0i64 } output { empty([0]i64) }
entry branch [m] (ys: [m]i64) (n: i64) : [m]i64 =
  map (\y -> let a = if y > 100
                     then let zs = map (* y) (iota (n - 5))
                          let k = reduce (+) 0 zs % 5
                          in reduce (+) 0 (map (\i -> zs[i % length zs] * y) (iota k))
                     else 0
             in a + reduce (+) 0 (map (* y) (iota y))) ys

entry elements [m] (ys: [m]i64) (n: i64) : [m]i64 =
  map (\y -> let as = map (\j -> let zs = scan (+) 0 (map (* j) (iota (n - 5)))
                                 let k = reduce (+) 0 zs % 5
                                 in reduce (+) 0 (map (\i -> zs[i % length zs] * y) (iota k)))
                          (iota (if y > 100 then y / 50 else 0))
             in reduce (+) 0 as + reduce (+) 0 (map (* y) (iota y))) ys

-- A size that is cast: the check is the only thing that makes the sizes equal.
-- ==
-- entry: cast cast_of_others cast_to_others
-- input { [3i64, 3i64] 3i64 } auto output
-- input { [3i64, 2i64] 3i64 } error: cannot match
-- input { [3i64, 2i64, 4i64] 3i64 } error: cannot match
-- input { empty([0]i64) -3i64 } output { empty([0]i64) }
entry cast [m] (ns: [m]i64) (k: i64) : [m]i64 =
  map (\n -> let xs = map (+ n) (scan (+) 0 (iota n)) :> [k]i64
             let ys = scan (+) 0 (map (* n) xs)
             in reduce (+) 0 ys + reduce i64.max 0 (map (% 7) ys)) ns

entry cast_of_others [m] (ns: [m]i64) (k: i64) : [m]i64 =
  map (\n -> let xs = scan (+) 0 (iota 10)
             let ys = xs[1:1 + n] :> [k]i64
             let zs = scan (+) 0 (iota n)
             in reduce (+) 0 ys + reduce (+) 0 zs) ns

entry cast_to_others [m] (ns: [m]i64) (k: i64) : [m]i64 =
  map (\n -> let zs = scan (+) 0 (iota n)
             let xs = scan (+) 0 (iota k) :> [n]i64
             in reduce (+) 0 (map2 (*) xs zs)) ns

-- A range along the rows of a nest without points.
-- ==
-- entry: rows
-- input { empty([0]i64) 0i64 } output { empty([0]i64) }
-- input { [4i64] 0i64 } error: Range
-- input { [4i64, 5i64] 7i64 } auto output
entry rows [m] (ys: [m]i64) (n: i64) : [m]i64 =
  let xss = map (\y -> map (+ y) (iota (n - 5))) ys
  in map (\xs -> reduce (+) 0 (map2 (*) xs (indices xs))) xss

-- As a value an array has no such shape.
-- ==
-- entry: result
-- input { 0i64 0i64 } error: size is negative
-- input { 1i64 0i64 } error: Range
-- input { 2i64 6i64 } output { [[0i64], [1i64]] }
entry result (m: i64) (n: i64) : [][]i64 = map (\y -> map (+ y) (iota (n - 5))) (iota m)
