-- Lengths of arrays of invalid sizes, of which only the length is used: their checks remain, or no other check relies on them.
-- ==
-- entry: scattered
-- input { 4i64 } output { 420i64 }
-- input { -24i64 } error: Replicate count -24 is negative or too large
-- input { -1000000000i64 } error: .
-- input { 4611686018427387904i64 } error: .

entry scattered (n: i64) : i64 =
  let k = length (scatter (replicate n 0i64) [0] [1])
  let b = loop b = replicate 64 0i64 for i < 64 - k do b with [k + i] = 7
  in i64.sum b

-- ==
-- entry: chosen
-- input { 2i64 [1i64,2,3] } output { 3i64 }
-- input { -24i64 [1i64,2,3] } error: .
-- input { -24i64 [1i64,2] } error: .

entry chosen [m] (n: i64) (xs: [m]i64) : i64 =
  let ys = if m > 2 then iota n else replicate n 4
  in xs[length ys]

-- ==
-- entry: in_rows
-- input { 2i64 2i64 [1i64,2,3] } output { 3i64 }
-- input { 2i64 -1i64 [1i64,2,3] } error: .
-- input { 0i64 -1i64 [1i64,2,3] } error: .

entry in_rows (n: i64) (m: i64) (xs: []i64) : i64 =
  let ys = transpose (map (\i -> map (+ i) (iota m)) (iota n))
  in xs[length ys]

-- The row size of an array without rows is not checked.
-- ==
-- entry: no_rows
-- input { 3i64 } output { [3i64,3,3] }
-- input { 0i64 } output { empty([0]i64) }

entry no_rows (n: i64) : []i64 =
  map (\i -> i64.sum (map (const (i - i + 1)) (iota (n - 1))) + 1) (iota n)

-- ==
-- entry: sliced
-- input { 1i64 3i64 1i64 [1i64,2,3] } output { 3i64 }
-- input { 0i64 -1i64 1i64 [1i64,2,3] } error: out of bounds
-- input { 2i64 5i64 -1i64 [1i64,2,3] } error: out of bounds

entry sliced (lo: i64) (hi: i64) (s: i64) (xs: []i64) : i64 =
  let ys = rotate 1 xs[lo:hi:s] in xs[length ys]

-- ==
-- entry: of_unsafe
-- input { 2i64 [1i64,2,3] } output { 3i64 }
-- input { -24i64 [1i64,2,3] } error: Index \[-24\] out of bounds

entry of_unsafe (n: i64) (xs: []i64) : i64 =
  let ys = #[unsafe] scatter (replicate n 0i64) [0] [1] in xs[length ys]

-- ==
-- entry: of_unsafe_slice
-- input { 2i64 [1i64,2,3] } output { 3i64 }
-- input { -24i64 [1i64,2,3] } error: Index \[-24\] out of bounds

entry of_unsafe_slice [m] (n: i64) (xs: [m]i64) : i64 =
  let ys = #[unsafe] xs[:n] in xs[length ys]

-- An assertion stays, whatever becomes of its value.
-- ==
-- entry: asserted
-- input { 1i64 [1i64,2,3] } output { 2i64 }
-- input { -1i64 [1i64,2,3] } error: Assertion is false

entry asserted [m] (n: i64) (xs: [m]i64) : i64 =
  let a = assert (n >= 0 && n < m) 0i64 in #[unsafe] xs[n + 0 * a]

-- ==
-- entry: carried
-- input { 3i64 [1i64,2,3,4] } output { 1i64 }
-- input { -3i64 [1i64,2,3,4] } error: .

entry carried (n: i64) (xs: []i64) : i64 =
  let ys = loop ys = iota n while length ys > 0 do ys[1:]
  in xs[length ys]

#[noinline]
def made (n: i64) (flag: bool) : []i64 = if flag then iota n else replicate n 1

#[noinline]
def long [n] (xs: [n]i64) (ys: []i64) : i64 = ys[length xs]

-- ==
-- entry: called
-- input { 2i64 [1i64,2,3] } output { 6i64 }
-- input { -1i64 [1i64,2,3] } error: .

entry called (n: i64) (xs: []i64) : i64 =
  xs[length (made n true)] + long (rotate 1 (made n (n > 1))) xs

-- An unused value is removed with the check of its index.
-- ==
-- entry: unused
-- input { 7i64 [1i64,2,3] } output { 3i64 }

entry unused (i: i64) (xs: []i64) : i64 =
  let _x = xs[i] in length xs

-- Both branches check the length; it is known also where the branches are nothing any more.
-- ==
-- entry: one_of_two one_of_three one_of_loops
-- input { 2i64 1i64 [1i64,2,3] } output { 2i64 }
-- input { -23i64 1i64 [1i64,2,3] } error: .
-- input { -23i64 -1i64 [1i64,2,3] } error: .

entry one_of_two [m] (n: i64) (q: i64) (xs: [m]i64) : i64 =
  let p = n - 1
  let ys = if q > 0 then iota (n - 1) else replicate (n - 1 + 0 * m) 7
  in xs[length ys] + (if p > 100000 then 1 else 0)

entry one_of_three [m] (n: i64) (q: i64) (xs: [m]i64) : i64 =
  let p = n - 1
  let ys =
    match q
    case 1 -> iota (n - 1)
    case 2 -> replicate (n - 1 + 0 * m) 7
    case _ -> if q > 100 then iota (n - 1 + 0 * m) else replicate (n - 1) q
  in xs[length ys] + (if p > 100000 then 1 else 0)

entry one_of_loops [m] (n: i64) (q: i64) (xs: [m]i64) : i64 =
  let p = n - 1
  let ys =
    if q > 0
    then loop z = iota (n - 1 + 0 * q) for i < q do map (+ i) z
    else replicate (n - 1 + 0 * m) 7
  in xs[length ys] + (if p > 100000 then 1 else 0)

-- ==
-- entry: one_at_points
-- input { 1i64 [1i64,2,3] } output { [1i64,2,3] }
-- input { -23i64 [1i64,2,3] } error: .

entry one_at_points [m] (n: i64) (xs: [m]i64) : [m]i64 =
  map (\x ->
         let p = n + x - 2
         let ys = if x > 1 then replicate (n + x - 2 + 0 * m) x else iota (n + x - 2 + 0 * m)
         in xs[length ys] + (if p > 100000 then 1 else 0))
      xs

-- What a check says holds also where a part of its code is computed for itself.
-- ==
-- entry: parts other_parts
-- input { [1i64,2,3] [0i64,1,2] } output { [1i64,3,6] 3i64 }
-- input { [1i64,2,3] [1i64,-900000,2] } error: .

entry parts [m] (xs: [m]i64) (qs: [m]i64) : ([m]i64, i64) =
  let vs = map (\q -> xs[i64.min (length (iota q)) (m - 1)]) qs
  in (scan (+) 0 vs, reduce i64.max 0 vs)

entry other_parts [m] (xs: [m]i64) (qs: [m]i64) : ([m]i64, i64) =
  let at q =
    let l = length (iota q)
    in (xs[i64.min l (m - 1)], xs[i64.min (l / 2) (m - 1)] + q / 2)
  let (a, b) = unzip (map at qs)
  in (scan (+) 0 a, reduce i64.max 0 b)

-- On GPUs, code at many points makes a check before the first kernel that relies on it, also if the check is nobody's.
-- ==
-- entry: at_points
-- input { [0i64,1] [1i64,20] } output { [441i64, 294] }
-- input { [0i64,1] [1i64,-900000,20] } error: .

entry at_points [m] (ys: [m]i64) (xs: []i64) =
  map (\x ->
         let k = reduce i64.max i64.lowest (map (+ x) (iota (x % 17)))
         let q = i64.min 1000 k
         let a = hist (+) 0i64 (i64.max q (-2)) [0, m - 2] [4, 5]
         let l = length (map (+ 1) (rotate 3 a))
         in (let c = loop c = replicate 64 0i64 for i < 64 - l do c with [l + i] = 7 in i64.sum c))
      xs
