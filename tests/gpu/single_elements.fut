-- Loops that read and write single elements run on the device, by one thread; so do checks of numbers that only kernels need.
-- ==
-- entry: recurrence
-- random input { [100]f32 } auto output
-- input { empty([0]f32) } auto output
-- input { [1f32] } auto output

-- ==
-- entry: prefix_length
-- input { [3, 1, 4, 1, 5] 8 } auto output
-- input { [3, 1, 4, 1, 5] 0 } auto output
-- input { [3, 1, 4, 1, 5] 100 } error: Index \[5\] out of bounds for array of shape \[5\]

-- ==
-- entry: weighted
-- random input { [100]f64 } auto output
-- input { empty([0]f64) } auto output

-- ==
-- entry: counted
-- random input { [1000]i32 } auto output

-- ==
-- entry: insertion_sort
-- random input { [50]i16 } auto output
-- input { empty([0]i16) } auto output

-- ==
-- entry: sieve
-- input { 100i64 } auto output

-- ==
-- entry: several_carried
-- random input { [100]i64 } auto output

-- ==
-- entry: gauss
-- input { [[0f64, 2f64, 1f64], [1f64, 1f64, 1f64], [2f64, 1f64, 3f64]] [5f64, 6f64, 13f64] } auto output
-- input { [[0f64, 0f64], [0f64, 1f64]] [5f64, 6f64] } error: false

-- ==
-- entry: nested
-- random input { [20][10]i32 } auto output

-- ==
-- entry: union_find
-- input { 8i64 [0i64, 2i64, 4i64, 1i64] [1i64, 3i64, 5i64, 2i64] } auto output

-- ==
-- entry: with_table
-- random input { [100]i32 } auto output

-- ==
-- entry: two_after_another
-- random input { [100]i32 } auto output

-- ==
-- entry: read_by_host
-- random input { [100]i32 } auto output

-- ==
-- entry: flags
-- random input { [64]bool } auto output

-- ==
-- entry: checked_on_device
-- input { [1, 0, 2] } auto output
-- input { [1, 0, 5] } error: Index \[5\] out of bounds for array of shape \[3\]

entry recurrence [n] (xs: *[n]f32) = loop xs for i < n - 1 do xs with [i + 1] = xs[i] * 0.5f32 + xs[i + 1]

entry prefix_length [n] (xs: [n]i32) (k: i32) =
  (loop (i, acc) = (0i64, 0i32) while acc < k do (i + 1, acc + xs[i])).0

-- What comes of the loop is needed by a kernel alone.
entry weighted [n] (xs: [n]f64) =
  let ys = map (+ 1) xs
  let s = loop s = 0f64 for i < n / 2 do s * 0.5 + ys[2 * i]
  in map (* s) ys

entry counted [n] (ks: [n]i32) =
  loop t = replicate 16 0i32
  for i < n do
    let k = i64.i32 (ks[i] & 15)
    in t with [k] = t[k] + 1

entry insertion_sort [n] (xs: [n]i16) =
  loop xs = copy xs
  for i < n do
    let (xs, _) =
      loop (xs, j) = (xs, i)
      while j > 0 && xs[j - 1] > xs[j] do
        let x = xs[j]
        let y = xs[j - 1]
        let xs = xs with [j - 1] = x
        in (xs with [j] = y, j - 1)
    in xs

entry sieve (n: i64) =
  let prime = replicate n true
  in loop prime
     for i' < n - 2 do
       let i = i' + 2
       in if prime[i]
          then loop prime for k < (n - 1) / i - 1 do prime with [(k + 2) * i] = false
          else prime

entry several_carried [n] (xs: [n]i64) =
  let (lo, hi, at, ys) =
    loop (lo, hi, at, ys) = (i64.highest, i64.lowest, 0i64, replicate n 0)
    for i < n do
      let x = xs[i]
      let (hi, at) = if x > hi then (x, i) else (hi, at)
      in (i64.min lo x, hi, at, ys with [i] = hi - lo)
  in (lo, hi, at, map (+ hi) ys)

-- The pivot is searched by one thread, and kernels read where it is.
entry gauss [n] (a: [n][n]f64) (b: [n]f64) =
  let ab = map2 (\r x -> r ++ [x] :> [n + 1]f64) a b
  let ab =
    loop ab = copy ab
    for i < n do
      let (p, v) =
        loop (p, v) = (i, f64.abs ab[i, i])
        for k < n - i - 1 do
          let w = f64.abs ab[i + k + 1, i]
          in if w > v then (i + k + 1, w) else (p, v)
      let v = assert (v > 0) v
      let ri = copy ab[i]
      let rp = copy ab[p]
      let ab = copy ab with [i] = rp
      let ab = ab with [p] = ri
      let d = ab[i, i] + 0 * v
      let row = map (/ d) ab[i]
      in tabulate n (\k ->
           if k == i then row else map2 (\x y -> x - ab[k, i] * y) ab[k] row)
  in map (\r -> r[n]) ab

entry nested [n][m] (xss: [n][m]i32) =
  let (s, yss) =
    loop (s, yss) = (1i32, copy xss)
    for i < n do
      loop (s, yss)
      for j < m do
        let s = s * 31 + yss[i, j]
        in (s, yss with [i, j] = s)
  in (s, map (map (^ s)) yss)

def find [n] (parent: [n]i64) (x: i64) = loop x while parent[x] != x do parent[x]

entry union_find (n: i64) (xs: []i64) (ys: []i64) =
  loop parent = iota n
  for (x, y) in zip xs ys do
    let a = find parent x
    let b = find parent y
    in parent with [i64.max a b] = i64.min a b

entry with_table [n] (xs: [n]i32) =
  loop s = 0i32
  for i < n do
    let t = [3i32, 1, 4, 1, 5, 9, 2, 6]
    in s * 7 + t[xs[i] & 7]

entry two_after_another [n] (xs: [n]i32) =
  let s = loop s = 1i32 for i < n do s * 3 + xs[i]
  let t = loop t = s for i < n do if xs[i] > t then t + s else t ^ xs[i]
  let ys = loop ys = copy xs for i < n do ys with [i] = ys[n - 1 - i] * t + s
  in map (+ s) ys

-- The host goes on according to it.
entry read_by_host [n] (xs: [n]i32) =
  let k = loop k = 0i64 for i < n do if xs[i] > 0 then k + 1 else k
  in iota k

entry flags [n] (bs: [n]bool) =
  let (any, bs) = loop (any, bs) = (false, copy bs) for i < n do (any || bs[i], bs with [i] = any != bs[i])
  in map (!= any) bs

entry checked_on_device [n] (xs: [n]i32) =
  let j = i64.i32 (reduce i32.max i32.lowest xs)
  in map (+ xs[j]) xs
