-- Thread blocks with loops that make rows longer or shorter.
-- ==
-- entry: gram_schmidt growing shrinking scanned corners in_place moved copied products limited none
-- input { [[1, 2], [3, 4]] } auto output
-- random input { [1][1]i32 } auto output
-- random input { [0][3]i32 } auto output
-- random input { [3][0]i32 } auto output
-- random input { [7][13]i32 } auto output
-- random input { [5][40]i32 } auto output

def bounded (most: i64) (n: i64) = i64.min most n

-- Without attributes: the version is one of several.
entry gram_schmidt [m] [n] (xss: [m][n]i32) =
  map (\(xs: [n]i32) ->
         let b = bounded 12 n
         let a = tabulate_2d b b (\i j -> xs[(i * 3 + j) %% n] % 7)
         in loop q = copy a for i < b do
              let before = q[:, :i]
              let sums = map (\c -> i32.sum (map2 (*) c a[:, i])) (transpose before)
              let all = map (\r -> i32.sum (map2 (*) r sums)) before
              in q with [:, i] = map2 (\x y -> (x - y) % 101) a[:, i] all)
      xss

entry growing [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         loop acc = copy xs for i < n do
           let firsts = map (\x -> x * 3 + i32.i64 i) acc[:i]
           let s = i32.sum firsts + i32.maximum (map (\x -> x - 1) firsts)
           in acc with [i] = s)
      xss

entry shrinking [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         loop acc = copy xs for i < n do
           let lasts = map2 (\x j -> x - i32.i64 j) acc[i:] (iota (n - i))
           in map (\x -> x + reduce (+) 0 lasts) acc)
      xss

entry scanned [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         loop acc = copy xs for i < n do
           let sums = scan (+) 0 (map (% 11) acc[:i + 1])
           in map2 (\x j -> if j <= i then x ^ #[unsafe] sums[i - j] else x) acc (iota n))
      xss

-- Both sides of a matrix change, and corners are updated in place.
entry corners [m] [n] (xss: [m][n]i32) =
  let b = bounded 9 n
  in #[flattening(only_intra)]
     map (\(xs: [n]i32) ->
            loop a = tabulate_2d b b (\i j -> xs[(i + j) %% n]) for k < b do
              let v = a[k:, k]
              let w = a[k, k:]
              let outer = map (\x -> map (\y -> (x * y) % 13) w) v
              in a with [k:, k:] = map2 (map2 (-)) a[k:, k:] outer)
         xss

entry in_place [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         let (a, b) =
           loop (a, b) = (copy xs, replicate n 7i32) for i < n do
             let b[i:] = a[i:]
             let a[:i] = map2 (+) a[:i] (b[n - i:] :> [i]i32)
             in (a, b)
         in map2 (\x y -> x * 5 + y) a b)
      xss

-- What is put into an array is a part of it.
entry moved [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         loop a = copy xs for i < n - 1 do
           let part = copy a[1:i + 2]
           let a[0:i + 1] = part
           in map (+ 1) a)
      xss

entry copied [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         loop a = copy xs for i < n do
           let part = copy a[:i + 1]
           let part[i] = 3
           let s = i32.sum (map (* 2) part)
           in map (+ s) a)
      xss

entry products [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         loop a = copy xs for i < n / 3 do
           let s = i32.sum (map2 (*) (a[i * 2:i * 3] :> [i]i32) (a[i:i * 2] :> [i]i32))
           let r = i32.sum (map (\x -> x - s) a[3 * i:])
           in map (+ r) a)
      xss

entry limited [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         loop a = copy xs for i < 2 * n do
           let k = i64.min i n
           let s = i32.sum (map (\x -> x % 17) a[:k])
           in map (+ s) a)
      xss

-- Loops that do not run.
entry none [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         loop a = copy xs for i < n - 100 do
           let s = i32.sum (map (+ 1) a[i:])
           in map (+ s) a)
      xss
