-- Checks that fail in tasks are reported once, and nothing is lost.

entry index (n: i64) : []i64 =
  let xs = iota n
  in map (\i -> xs[i * 2]) (iota n)

entry nested (n: i64) : []i64 =
  map (\i -> i64.sum (map (\j -> let ys = map (+ j) (iota 10) in ys[if i == 1 && j > 1000 then j else 0]) (iota n))) (iota 2)

entry divide (n: i64) : i64 = i64.sum (map (\i -> 10 / (i - n / 2)) (iota n))

entry asserted (n: i64) : []i64 = scan (+) 0 (map (\i -> assert (i != n - 1) i) (iota n))
