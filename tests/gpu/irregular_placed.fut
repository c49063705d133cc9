-- Recursion that joins what its calls return, of sizes that are known before: results are written where they end up.
-- ==
-- entry: quick thirds numbered pairs_of rows grown one consumed chosen flagged wide nested swapped twice_used
-- input { [5i64, 3i64, 9i64, 1i64, 3i64, 3i64, 8i64, -2i64, 0i64, 7i64, 5i64, 4i64, 11i64, 2i64, -7i64, 6i64, 1i64] } auto output
-- input { [4i64, 4i64, 4i64, 4i64] } auto output
-- input { [1i64] } auto output
-- input { empty([0]i64) } auto output

def sorted [n] (xs: [n]i64) : [n]i64 =
  if n < 2
  then xs
  else let p = xs[n / 2]
       let low = sorted (filter (< p) xs)
       let high = sorted (filter (> p) xs)
       in (low ++ filter (== p) xs ++ high) :> [n]i64

entry quick [n] (xs: [n]i64) : [n]i64 = sorted xs

-- Three calls, in another order than their results; pieces before, between and after.
def third [n] (d: i64) (xs: [n]i64) : [n]i64 =
  if n < 6 || d > 3
  then map (+ d) xs
  else let k = n / 4
       let c = third (d + 1) xs[2 * k:3 * k]
       let a = third (d + 2) (reverse xs[:k])
       let b = third (d + 1) (map (* 2) xs[k:2 * k])
       let rest = n - 3 * k - 2
       in ([d] ++ a ++ [xs[0], xs[k]][1:] ++ b ++ c ++ map (* d) xs[n - rest:]) :> [n]i64

entry thirds [n] (xs: [n]i64) : [n]i64 = third 0 xs

-- Only a number is given.
def tree (n: i64) (x: i64) : [n]i64 =
  if n <= 1
  then replicate n x
  else let h = n / 2
       in (tree h (2 * x) ++ tree (n - h) (2 * x + 1)) :> [n]i64

entry numbered [n] (xs: [n]i64) : []i64 =
  let sums = map (\x -> let ys = tree (i64.abs x) x in i64.sum (map2 (*) ys (indices ys))) xs
  in sums ++ tree (n + 3) 1

-- Several results, of different sizes.
def pairs [n] [m] (xs: [n](i64, f32)) (ys: [m]i32) : ([n](f32, i64), [m]i32) =
  if n < 2
  then (map (\(x, y) -> (y, x)) xs, map (+ 1) ys)
  else let p = xs[n / 2].0
       let (as, bs) = pairs (filter (\x -> x.0 < p) xs) ys[:m / 2]
       let (cs, ds) = pairs (filter (\x -> x.0 > p) xs) ys[m / 2:]
       let same = map (\(x, y) -> (y + 1, x)) (filter (\x -> x.0 == p) xs)
       in ((as ++ same ++ cs) :> [n](f32, i64), (bs ++ ds) :> [m]i32)

entry pairs_of [n] (xs: [n]i64) : ([n]f32, [n]i64, []i32) =
  let (as, bs) = pairs (zip xs (map f32.i64 (iota n))) (map i32.i64 (xs ++ xs))
  in (map (.0) as, map (.1) as, bs)

-- Rows, of a size that is the same in all calls.
def by_rows [n] [m] (xss: [n][m]i64) : [n][m]i64 =
  if n < 3
  then xss
  else let h = n / 2
       let low = by_rows (map (map (+ 1)) xss[:h])
       let high = by_rows (reverse xss[h + 1:])
       in (high ++ [map (* 2) xss[h]] ++ low) :> [n][m]i64

entry rows [n] (xs: [n]i64) : ([n][3]i64, [n]i64) =
  let xss = map (\x -> [x, x * x, 1]) xs
  let of (i: i64) = i64.sum (flatten (by_rows (map (\j -> [xs[(i + j) % n], i]) (iota (i % 5)))))
  in (by_rows xss, map of (iota n))

-- The size of rows differs from call to call, and from point to point.
def growing [n] (m: i64) (xs: [n]i64) : [n][m]i64 =
  if n < 2 || m == 0
  then map (\x -> map (+ x) (iota m)) xs
  else let h = n / 2
       let low = growing m xs[:h]
       let high = map (\r -> (r ++ [h]) :> [m]i64) (growing (m - 1) xs[h:])
       in (low ++ high) :> [n][m]i64

entry grown [n] (xs: [n]i64) : ([n][3]i64, [n]i64) =
  (growing 3 xs, map2 (\i x -> i64.sum (flatten (growing (i % 3) (map (+ x) (iota (i % 4)))))) (iota n) xs)

-- One call, in a map; and by the host.
def peeled [n] (d: i64) (xs: [n]i64) : [n]i64 =
  if n == 0 || d == 0
  then map (* 3) xs
  else if d % 2 == 0
       then ([xs[n - 1]] ++ peeled (d - 1) xs[:n - 1]) :> [n]i64
       else (peeled (d - 1) xs[1:] ++ [xs[0] + d]) :> [n]i64

entry one [n] (xs: [n]i64) : ([n]i64, [n]i64) =
  let of (x: i64) = map (\j -> x * j) (iota (i64.abs x % 6))
  let sum (ys: []i64) = i64.sum (map2 (*) ys (indices ys))
  in (map (\x -> sum (peeled 4 (of x))) xs, peeled 7 xs)

-- What is given is taken over, after a call that reads it.
def taking [n] (xs: *[n]i64) : *[n]i64 =
  if n < 3
  then xs
  else let h = n / 2
       let low = taking (copy xs[:h])
       let ys = xs with [h] = 7
       let high = taking (copy ys[h:])
       in (low ++ high) :> [n]i64

entry consumed [n] (xs: [n]i64) : [n]i64 = taking (copy xs)

-- A branch among the pieces, which has a call on one side; one without calls; a side with one call alone.
def choosing [n] (d: i64) (xs: [n]i64) : [n]i64 =
  if n < 2 || d == 0
  then xs
  else if xs[0] % 5 == 0
       then choosing (d - 1) (map (+ 1) xs)
       else let h = n / 3
            let m = n - h
            let low = if xs[h] % 2 == 0 then map (* 2) xs[:h] else xs[:h]
            let high : [m]i64 = if xs[h] % 3 == 0 then choosing (d - 1) (reverse xs[h:] :> [m]i64) else map (\x -> x - d) xs[h:] :> [m]i64
            in if d > 2
               then (choosing (d - 2) low ++ high) :> [n]i64
               else (high ++ choosing (d - 1) low) :> [n]i64

entry chosen [n] (xs: [n]i64) : [n]i64 = choosing 5 xs

-- A condition that is the same at all points.
def flag [n] (up: bool) (xs: [n]i64) : [n]i64 =
  if n < 2
  then xs
  else let h = n / 2
       let (a, b) = (xs[:h], xs[h:])
       in if up
          then (flag up a ++ flag up b) :> [n]i64
          else (flag up b ++ flag up a) :> [n]i64

entry flagged [n] (xs: [n]i64) : ([n]i64, [n]i64, [n]i64) =
  (flag true xs, flag false xs, map (\x -> i64.sum (map2 (*) (flag (n > 3) (iota (x % 5))) (iota (x % 5)))) (map i64.abs xs))

-- Arrays of a constant size.
def quads (d: i64) (x: i64) : [4]i64 =
  if d == 0 then replicate 4 x else let ys = quads (d - 1) (x + 1) in (ys[2:] ++ ys[:2]) :> [4]i64

def eights (d: i64) (x: i64) : [8]i64 =
  if d == 0 then (quads 2 x ++ quads 1 (2 * x)) :> [8]i64 else eights (d - 1) (3 * x)

entry wide [n] (xs: [n]i64) : [n][8]i64 = map (\x -> eights (x % 3) x) (map i64.abs xs)

-- Rows of different sizes, sorted in a map.
entry nested [n] (xs: [n]i64) : [n]i64 =
  let of (i: i64) = map (\j -> xs[(i * j + j) % n]) (iota (xs[i] % 7))
  in map (\i -> let ys = sorted (of i) in i64.sum (map2 (*) ys (indices ys))) (map (% i64.max 1 n) (iota n))

-- Results that do not go where those of the calls go.
def swapping [n] (xs: [n]i64) : ([n]i64, [n]i64) =
  if n < 2
  then (xs, map (* 2) xs)
  else let h = n / 2
       let (a, b) = swapping xs[:h]
       let (c, d) = swapping xs[h:]
       in ((a ++ d) :> [n]i64, (c ++ b) :> [n]i64)

entry swapped [n] (xs: [n]i64) : ([n]i64, [n]i64) = swapping xs

-- Results that are used twice, or in another way.
def using [n] (xs: [n]i64) : [n]i64 =
  if n < 2
  then xs
  else let h = n / 2
       let a = using xs[:h]
       let b = using xs[h:]
       in (map (+ i64.sum a) b ++ a) :> [n]i64

entry twice_used [n] (xs: [n]i64) : [n]i64 = using xs
