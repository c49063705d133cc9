-- Nests with enough points of which one or two have most of the work: these are parallel inside.
-- ==
-- entry: sums results
-- input { [3i64, 40000i64, 0i64, 1i64, 16384i64, 16383i64, 5i64, 70000i64, 2i64] } auto output
-- input { [100000i64, 3i64] } auto output
-- input { empty([0]i64) } auto output

-- ==
-- entry: large_fails
-- input { [3i64, 40000i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64, 1i64] } error: division by zero

entry sums (ns: []i64) : []i64 = map (\n -> i64.sum (map (\i -> i * i % 7) (iota n))) ns

-- Scans, stored arrays, updates in place, operators that do not commute, operations in branches and loops.
entry results (ns: []i64) : ([]i64, []i64, []i64, []i64) =
  unzip4 (map (\n ->
                 let xs = scan (+) 0 (map (\i -> i % 3) (iota n))
                 let ys = scatter (replicate n 1) (map (\i -> n - 1 - i) (iota n)) xs
                 let ys = if n > 2 then ys with [1] = 7 else ys
                 let (a, b) = reduce (\(a, b) (c, d) -> (a * c % 1009, (b * c + d) % 1009)) (1, 0) (map (\y -> (y % 5 + 1, y)) ys)
                 let c = if n % 2 == 0 then i64.maximum ys else loop acc = 0 for k < 2 do acc + i64.sum (map (^ k) ys)
                 in (a, b, c, if n > 0 then ys[n / 2] else 0))
              ns)

entry large_fails (ns: []i64) : []i64 = map (\n -> i64.sum (map (\i -> 5 / (i - 20000)) (iota n))) ns
