-- Operators of irregular nests that use values of the point, or take arrays.
-- ==
-- entry: values scanned_values read rows columns matrices scanned_matrices irregular_matrices
-- input { [3i64, 0i64, 7i64, 1i64, 12i64] } auto output
-- input { [0i64, 0i64] } auto output
-- input { empty([0]i64) } auto output
-- input { [5i64] } auto output

-- ==
-- entry: both_differ bins neutral_bins nested inner_rows scatters hists filtered only_where_combined
-- input { [3i64, 0i64, 7i64, 1i64, 12i64] } auto output
-- input { [0i64, 0i64] } auto output
-- input { empty([0]i64) } auto output
-- input { [5i64] } auto output

def f (i: i64) = i * i % 7

entry values (ns: []i64) = map (\n -> reduce (\x y -> (x + y) % (n + 1)) 0 (iota n)) ns

entry scanned_values (ns: []i64) = map (\n -> i64.sum (scan (\x y -> (x + y) % (n + 1)) 0 (iota n))) ns

-- The operator reads an array of the point.
entry read (ns: []i64) =
  map (\n ->
         let ranks = scan (+) 0 (map f (iota (n + 1)))
         in reduce (\x y -> if ranks[x % (n + 1)] < ranks[y % (n + 1)] then y else x) 0 (scan (+) 0 (iota n)))
      ns

entry rows (ns: []i64) =
  map (\n -> i64.sum (reduce (map2 (+)) [0, 0, 0] (map (\i -> [i, 2 * i, i * i]) (iota n)))) ns

-- The rows differ in size, too.
entry columns (ns: []i64) =
  map (\n -> i64.sum (reduce (map2 (+)) (replicate n 0) (map (\i -> map (+ i) (iota n)) (iota n)))) ns

def times [k] (a: [k][k]i64) (b: [k][k]i64) : [k][k]i64 =
  map (\r -> map (\c -> reduce (+) 0 (map2 (*) r c) % 1009) (transpose b)) a

def one (k: i64) = tabulate_2d k k (\i j -> i64.bool (i == j))

entry matrices (ns: []i64) =
  map (\n -> (reduce times (one 2) (map (\i -> [[i, 1], [1, i + 1]]) (iota n)))[0, 1]) ns

entry scanned_matrices (ns: []i64) =
  map (\n -> i64.sum (map (\m -> m[1, 0]) (scan times (one 2) (map (\i -> [[i, 1], [1, i + 1]]) (iota n))))) ns

entry irregular_matrices (ns: []i64) =
  map (\n ->
         let k = n % 3 + 1
         in i64.sum (flatten (reduce times (one k) (tabulate n (\i -> tabulate_2d k k (\a b -> i + a * b))))))
      ns

-- Operator and neutral element differ from point to point.
entry both_differ (ns: []i64) =
  map (\n -> let xs = scan (\x y -> i64.max (-n) (i64.max x y)) (-n) (map (\i -> f i - n) (iota n)) in i64.sum xs) ns

entry bins (ns: []i64) =
  map (\n ->
         let h = hist (\x y -> (x + y) % (n + 1)) 0 (n + 1) (map f (iota n)) (iota n)
         in i64.sum (map2 (*) h (indices h)))
      ns

entry neutral_bins (ns: []i64) =
  map (\n ->
         let h = hist i64.max (-n) (n + 1) (map f (iota n)) (map (+ (-n)) (iota n))
         in i64.sum (map2 (*) h (indices h)))
      ns

-- The operator uses values of two levels.
entry nested (ns: []i64) =
  map (\n -> i64.sum (map (\i -> reduce (\x y -> (x + y) % (n + i + 1)) 0 (iota (n - i))) (iota n))) ns

-- Arrays of one size inside of arrays of many.
entry inner_rows (ns: []i64) =
  map (\n -> i64.sum (map (\i -> reduce (\x y -> (x + y) % (n + i + 1)) 0 (map (* i) (iota 5))) (iota n))) ns

entry scatters (ns: []i64) = scatter (replicate 20 0) ns (map (\n -> i64.sum (scan (+) 0 (filter (> 2) (iota n)))) ns)

entry hists (ns: []i64) = hist (+) 0 8 (map f ns) (map (\n -> i64.sum (scan (+) 0 (filter (> 2) (iota n)))) ns)

entry filtered (ns: []i64) = filter (\n -> i64.sum (scan (+) 0 (filter (> 2) (iota n))) % 2 == 0) ns

-- Where there is nothing to combine, the operator would fail.
entry only_where_combined (ns: []i64) = map (\n -> reduce (\x y -> (x + y) % n) 0 (iota n)) ns
