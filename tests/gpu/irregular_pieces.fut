-- Irregular nests whose reductions are done in pieces: sizes around those of pieces, and points without any.
-- ==
-- entry: computed in_order several deeper operator_of_point
-- input { [0i64, 1i64, 63i64, 64i64, 65i64, 0i64, 127i64, 128i64, 129i64, 1000i64, 0i64] } auto output
-- input { [0i64, 0i64] } auto output
-- input { empty([0]i64) } auto output

-- ==
-- entry: stored slices branches
-- input { [3i64, 200i64, 0i64, 1i64, 64i64, 129i64] } auto output
-- input { empty([0]i64) } auto output

-- ==
-- entry: windows
-- input { [0i64, 10i64] [200i64, 190i64] } auto output
-- input { [0i64, 1000i64] [200i64, 60i64] } error: out of bounds

entry computed (ns: []i64) : []i64 = map (\n -> i64.sum (map (\i -> i * i % 7) (iota n))) ns

-- Functions x -> a x + b, one after the other: an operator that does not commute, on elements that are read.
def table : [1024](i32, i32) = tabulate 1024 (\i -> (2 * i32.i64 i + 1, i32.i64 (i % 5)))

entry in_order (ns: []i64) : ([]i32, []i32) =
  let after (a: i32, b: i32) (c: i32, d: i32) = (a * c, b * c + d)
  in unzip (map (\n -> reduce after (1, 0) (map (\i -> #[unsafe] table[i]) (iota n))) ns)

-- Several reductions, one of which needs the result of another, and one whose operator checks something.
entry several (ns: []i64) : ([]i64, []f64, []i64) =
  let checked (a: i64) (b: i64) = assert (a >= 0 && b >= 0) (i64.max a b)
  in unzip3 (map (\n ->
                    let xs = map (\i -> i * 3 % 17) (iota n)
                    let sum = i64.sum xs
                    let mean = sum / i64.max 1 n
                    let far = f64.sum (map (\x -> f64.i64 ((x - mean) * (x - mean))) xs)
                    in (sum, far, reduce checked 0 (map (\i -> i * mean % 1001) (iota n))))
                 ns)

-- Arrays that are stored, and read from several sides.
entry stored (ns: []i64) : []i64 =
  map (\n ->
         let xs = scan (+) 0 (iota n)
         in i64.sum (map2 (\i x -> x - xs[n - 1 - i]) (iota n) xs) + i64.maximum (map (\x -> x % 13) xs))
      ns

-- Stretches of such arrays, forwards and backwards, and of their rows.
entry slices (ns: []i64) : []i64 =
  map (\n ->
         let xs = map (+ 1) (scan (+) 0 (iota n))
         let upper = xs[n / 3:]
         let back = xs[n / 3:][::-1]
         let rows = scan (map2 (+)) [0, 0] (map (\x -> [x, x % 3]) xs)
         let some = rows[n / 2:, 1:]
         in i64.sum (map2 (\a b -> a * 2 - b) upper back) + i64.sum (map (\r -> r[0] % 5) some))
      ns

-- Reductions in branches and loops of points.
entry branches (ns: []i64) : []i64 =
  map (\n ->
         if n % 2 == 0
         then loop acc = 0 for i < n % 7 do acc + i64.sum (map (\j -> j ^ acc) (iota (n + i)))
         else i64.product (map (\j -> j % 3 + 1) (iota (n / 2))))
      ns

-- Two levels of sizes that differ.
entry deeper (ns: []i64) : []i64 =
  map (\n -> i64.sum (map (\m -> i64.sum (map (\k -> k * m % 11) (iota (m * 7)))) (iota (n % 50)))) ns

-- The operator, and its neutral element, belong to the point.
entry operator_of_point (ns: []i64) : []i64 =
  map (\n -> reduce (\a b -> (a + b) % (n + 1)) 0 (iota n) + reduce i64.min n (map (\i -> n - i) (iota n))) ns

-- Slices whose bounds are checked.
entry windows (from: []i64) (to: []i64) : []i32 =
  map2 (\a b -> i32.sum (map (\(x, y) -> x - y) table[i64.min a b:a + b])) from to
