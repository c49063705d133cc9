-- Nests whose inner arrays differ in size from point to point.
-- ==
-- entry: sums scans rows tuples filters slices joined branches host_branches while_loops for_loops growing
-- input { [3i64, 0i64, 7i64, 1i64, 12i64] } auto output
-- input { [0i64, 0i64] } auto output
-- input { empty([0]i64) } auto output
-- input { [5i64] } auto output

-- ==
-- entry: updates histograms neutral depths replicated totals transposed outer_scan kept rearranged literals
-- input { [3i64, 0i64, 7i64, 1i64, 12i64] } auto output
-- input { [0i64, 0i64] } auto output
-- input { empty([0]i64) } auto output
-- input { [5i64] } auto output

entry sums (ns: []i64) = map (\n -> i64.sum (map (\i -> i * i % 7) (iota n))) ns

entry scans (ns: []i64) = map (\n -> i64.sum (map2 (*) (scan (+) 0 (iota n)) (scan i64.max i64.lowest (map (% 5) (iota n))))) ns

-- Rows of one size inside of arrays of many.
entry rows (ns: []i64) =
  map (\n ->
         let yss = map (\i -> map (+ i) [n, 1, 2]) (iota n)
         in i64.sum (map (\ys -> ys[0] * i64.sum ys) yss))
      ns

-- Several operators at once, and one on pairs.
entry tuples (ns: []i64) =
  map (\n ->
         let (m, i) =
           reduce_comm (\(a, i) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j))
                       (i64.lowest, -1)
                       (map (\i -> (i * 7 % 11, i)) (iota n))
         in (m, i, f64.sum (map f64.i64 (iota n)), i64.product (map (+ 1) (iota n))))
      ns
  |> unzip4

entry filters (ns: []i64) =
  map (\n ->
         let xs = filter (\x -> x % 3 != 0) (iota n)
         let (as, bs) = partition (\x -> x % 2 == 0) xs
         in i64.sum (scan (+) 0 as) - i64.sum (map (\b -> length as * b) bs))
      ns

entry slices (ns: []i64) =
  map (\n ->
         let xs = map (* 3) (iota n)
         let ys = xs[n / 3:]
         let zs = ys[::-1]
         in i64.sum (map2 (\y z -> y * 2 - z) ys zs) + i64.sum (take (n / 2) xs))
      ns

entry joined (ns: []i64) =
  map (\n ->
         let xs = iota n
         let ys = replicate (n / 2) n
         let zs = xs ++ ys ++ [n, 1] ++ rotate 1 xs
         in i64.sum (map2 (*) zs (indices zs)))
      ns

entry branches (ns: []i64) =
  map (\n ->
         let (xs, k) = if n % 2 == 0 then (iota (n * 2), 1) else if n > 5 then (replicate 3 n, n) else ([n], 0)
         in i64.sum xs + k)
      ns

entry host_branches (ns: []i64) =
  map (\n ->
         let xs = if length ns > 2 then map (+ n) (iota n) else replicate 4 (n + 1)
         in i64.sum (scan (+) 0 xs))
      ns

entry while_loops (ns: []i64) =
  map (\n ->
         let (xs, _) = loop (xs, i) = (iota n, 0) while i < n && i64.sum xs < 100 do (map (\x -> x * 2 + i) xs, i + 1)
         in i64.sum xs)
      ns

entry for_loops (ns: []i64) =
  map (\n ->
         let xs = loop xs = iota n for i < n % 4 do map (+ i) (reverse xs)
         let ys = loop ys = [n] for i < 3 do ys ++ map (* i) ys
         in i64.sum xs * 10 + i64.sum ys)
      ns

entry growing (ns: []i64) =
  map (\n ->
         let (xs, _) = loop (xs, k) = ([n], n) while k > 0 do (xs ++ [k], k / 2)
         in (length xs, i64.sum (map2 (*) xs (indices xs))))
      ns
  |> unzip

entry updates (ns: []i64) =
  map (\n ->
         let xs = replicate (n + 2) n
         let xs = xs with [n] = 7
         let xs = xs with [0:n / 2] = iota (n / 2)
         let xs = scatter xs (map (* 2) (iota n)) (map (+ 100) (iota n))
         in i64.sum (map2 (*) xs (indices xs)))
      ns

entry histograms (ns: []i64) =
  map (\n ->
         let h = hist (+) 0 (n + 1) (map (\i -> i * i % (n + 2)) (iota (2 * n))) (iota (2 * n))
         let g = reduce_by_index (replicate 3 1) i64.max i64.lowest (map (% 4) (iota n)) (iota n)
         in i64.sum (map2 (*) h (indices h)) + i64.sum g)
      ns

-- The neutral element differs.
entry neutral (ns: []i64) =
  map (\n ->
         let m = opaque (if n > 100 then 1 else 0)
         in (reduce (+) m (iota n), i64.sum (scan (+) m (iota n))))
      ns
  |> unzip

-- Levels inside of levels, some of one size, some of many.
entry depths (ns: []i64) =
  map (\n ->
         let xs = iota n
         in i64.sum (map (\x -> i64.sum (map (\y -> i64.sum (map (\z -> x * y + z) (iota (y % 3)))) xs)) xs)
            + i64.sum (map (\k -> i64.sum (map (* k) xs)) [1, 2, 3]))
      ns

entry replicated (ns: []i64) =
  map (\n ->
         let xss = replicate n (map (* n) (iota (n + 1)))
         in i64.sum (map i64.sum xss) + i64.sum (flatten xss))
      ns

entry totals (ns: []i64) = i64.sum (map (\n -> i64.sum (map (\i -> i * n) (iota n))) ns)

entry transposed (ns: []i64) =
  map (\n ->
         let xss = map (\i -> map (\j -> i * 10 + j) (iota 3)) (iota n)
         let yss = transpose xss
         in i64.sum (map (\ys -> i64.sum (map2 (*) ys (indices ys))) yss))
      ns

entry outer_scan (ns: []i64) = scan (+) 0 (map (\n -> i64.sum (filter (> 1) (iota n))) ns)

-- Results that are arrays of one size.
entry kept (ns: []i64) =
  map (\n ->
         let xs = map (* 2) (iota n)
         in map (\i -> if i < n then xs[i] + length xs else -1) (iota 4))
      ns

entry rearranged (ns: []i64) =
  map (\n ->
         let xsss = tabulate_3d 2 n 3 (\i j k -> i * 100 + j * 10 + k)
         let ysss = map transpose xsss
         in i64.sum (map2 (*) (flatten_3d ysss) (indices (flatten_3d ysss))))
      ns

entry literals (ns: []i64) =
  map (\n ->
         let xs = iota n
         let yss = [xs, map (+ 1) xs, replicate n n]
         in map i64.sum yss)
      ns

-- A size that a filter finds is the width of the next one.
-- ==
-- entry: twice_filtered
-- input { [3i64, 0i64, 7i64, 1i64, 12i64] true } auto output
-- input { empty([0]i64) false } auto output

entry twice_filtered [m] (ys: [m]i64) (flag: bool) =
  map (\x ->
         let kept = filter (\p -> p) (scan (||) false (replicate m (x >= 2)))
         in reduce (+) 0i32 (filter (\_ -> flag) (replicate (length kept) 0i32)))
      ys

-- A loop that no point enters returns what it began with; what a map returns can be changed all the same.
-- ==
-- entry: no_iterations
-- input { [3i64, 0i64, 7i64, 1i64, 6i64] } output { [0i64, 1i64, 2i64, 3i64, 4i64] [3i64, 0i64, 7i64, 1i64, 6i64] }
-- input { [12i64, 5i64] } auto output
-- input { empty([0]i64) } auto output

entry no_iterations [k] (ns: [k]i64) =
  let xs = map (\n -> loop m = n for _i < (n & 8) do i64.sum (map (* 2) (iota (m & 15)))) ns
  let ys = scatter xs (iota k) (iota k)
  in (ys, map (\n -> n) ns)
