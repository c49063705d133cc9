-- Blocks of memory: which are one, and loops that use blocks in turns. On the host, in thread blocks, in threads.
-- ==
-- entry: scans_in_block scans_in_thread other_sizes branches carried_block carried_thread rotated_block rotated_thread
-- random input { [1][1]i32 } auto output
-- random input { [3][0]i32 } auto output
-- random input { [5][33]i32 } auto output

-- ==
-- entry: nested_block mixed_types in_loop summed tables
-- random input { [1][1]i32 } auto output
-- random input { [60][70]i32 } auto output

-- ==
-- entry: chain swapped swapped3 again while_loop nested two_loops kept_input views grown
-- input { empty([0]i32) } auto output
-- random input { [1]i32 } auto output
-- random input { [1001]i32 } auto output

def shifted [n] (xs: [n]i32) : [n]i32 = map (\i -> xs[(i + 1) % i64.max 1 n] + 1) (iota n)

def step [n] (op: i32 -> i32 -> i32) (ne: i32) (xs: [n]i32) : [n]i32 = shifted (scan op ne xs)

-- Each scan needs only the one before.
entry scans_in_block [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) -> step (+) 0 (step i32.max i32.lowest (step (+) 0 (step i32.max i32.lowest (step (+) 0 xs))))) xss

entry scans_in_thread [m] [n] (xss: [m][n]i32) =
  #[sequential_inner]
  map (\(xs: [n]i32) -> step (+) 0 (step i32.max i32.lowest (step (+) 0 (step i32.max i32.lowest xs)))) xss

-- Sizes that differ: as large as the largest.
entry other_sizes [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         let a = step (+) 0 xs
         let b = reduce (+) 0 (shifted (a ++ a))
         let c = step i32.max i32.lowest (map (+ b) xs)
         in reduce (+) 0 (map2 (*) (shifted c) xs) + b)
      xss

-- One of two, the first of them used after both.
entry branches [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         let a = step (+) 0 xs
         let b = if reduce (+) 0 a % 2 == 0 then step i32.max i32.lowest a else shifted xs
         let c = step i32.min i32.highest b
         in map2 (+) (shifted c) a)
      xss

entry carried_block [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) -> loop ys = xs for _i < 3i32 do shifted ys) xss

entry carried_thread [m] [n] (xss: [m][n]i32) =
  #[sequential_inner]
  map (\(xs: [n]i32) -> loop ys = xs for _i < 3i32 do shifted ys) xss

entry rotated_block [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         let (a, b, c) =
           loop (a, b, c) = (xs, shifted xs, map (* 3) xs)
           for _i < 5i32 do (b, c, map3 (\x y z -> x + y - z) (shifted a) b (shifted c))
         in map3 (\x y z -> x ^ y ^ z) a b c)
      xss

entry rotated_thread [m] [n] (xss: [m][n]i32) =
  #[sequential_inner]
  map (\(xs: [n]i32) ->
         let (a, b, c) =
           loop (a, b, c) = (xs, shifted xs, map (* 3) xs)
           for _i < 5i32 do (b, c, map3 (\x y z -> x + y - z) (shifted a) b (shifted c))
         in map3 (\x y z -> x ^ y ^ z) a b c)
      xss

-- A loop in a loop, and what the loop leaves is used twice.
entry nested_block [m] [n] (xss: [m][n]i32) =
  #[flattening(only_intra)]
  map (\(xs: [n]i32) ->
         let ys =
           loop ys = xs
           for i < 3i32 do
             let zs = loop zs = shifted ys for _j < i do shifted zs
             in map2 (+) zs (shifted ys)
         in map2 (-) (shifted ys) ys)
      xss

-- Elements of other sizes in one thread's memory.
entry mixed_types [m] [n] (xss: [m][n]i32) =
  #[sequential_inner]
  map (\(xs: [n]i32) ->
         let a = scan (+) 0 (map i64.i32 xs)
         let b = scan (+) 0 (map (\i -> i16.i64 a[(i + 1) % n]) (iota n))
         let c = scan i64.max i64.lowest (map (\i -> i64.i16 b[(i + 2) % n]) (iota n))
         let d = scan (+) 0 (map (\i -> i8.i64 c[(i + 3) % n]) (iota n))
         in d[n / 2])
      xss

entry in_loop [m] [n] (xss: [m][n]i32) =
  loop xss for i < 3i32 do
    let yss = map (\xs -> step (+) 0 (map (+ i) xs)) xss
    let sums = map (reduce (+) 0) yss
    let zss = map2 (\ys s -> step i32.max i32.lowest (map (+ s) ys)) yss sums
    in map2 (map2 (-)) zss yss

entry summed [m] [n] (xss: [m][n]i32) =
  let a = map (reduce (+) 0) xss
  let b = map (reduce i32.max i32.lowest) xss
  let c = map2 (*) (step (+) 0 a) (step (+) 0 b)
  let d = transpose xss
  let e = map (reduce (+) 0) d
  in (step (+) 0 c, step (+) 0 e)

-- A thread's own small arrays.
entry tables [m] [n] (xss: [m][n]i32) =
  map (\(xs: [n]i32) ->
         let a = loop a = replicate 8 0i32 for i < 8 do a with [i64.i32 (xs[i64.i32 (i32.i64 i) % n] & 7)] = xs[0] + i32.i64 i
         let b = loop b = replicate 8 1i32 for i < 8 do b with [i64.i32 (a[i] & 7)] = a[7 - i]
         let c = loop c = replicate 8 2i32 for i < 8 do c with [i64.i32 (b[i] & 7)] = b[7 - i]
         in c[i64.i32 (xs[n - 1] & 7)] + b[0])
      xss

entry chain [n] (xs: [n]i32) = step (+) 0 (step i32.max i32.lowest (step (+) 0 (step i32.min i32.highest (step (+) 0 xs))))

entry swapped [n] (xs: [n]i32) : ([n]i32, [n]i32) =
  loop (a, b) = (xs, shifted xs) for _i < 4i32 do (b, map2 (+) (shifted a) b)

entry swapped3 [n] (xs: [n]i32) : ([n]i32, [n]i32, [n]i32) =
  loop (a: [n]i32, b: [n]i32, c: [n]i32) = (xs, shifted xs, xs) for _i < 7i32 do (c, shifted a, b)

entry again [n] (xs: [n]i32) : ([n]i32, [n]i32) =
  loop (a: [n]i32, _b: [n]i32) = (xs, xs) for _i < 3i32 do let c = shifted a in (c, c)

entry while_loop [n] (xs: [n]i32) : ([n]i32, i32) =
  loop (a, i) = (shifted xs, 0) while i < 5 && (n == 0 || a[0] < 1000000) do (shifted (shifted a), i + 1)

entry nested [n] (xs: [n]i32) : [n]i32 =
  loop a = xs for i < 4i32 do loop b = shifted a for _j < i do map2 (+) (shifted b) a

entry two_loops [n] (xs: [n]i32) : [n]i32 =
  let a = loop a = shifted xs for _i < 3i32 do shifted a
  let b = loop b = a for _i < 2i32 do shifted b
  in loop c = b for _i < 0i32 do shifted c

-- What the loop starts with is used afterwards, and while it runs.
entry kept_input [n] (xs: [n]i32) : ([n]i32, [n]i32) =
  let start = step (+) 0 xs
  let a = loop a = start for _i < 3i32 do map2 (+) (shifted a) start
  in (a, shifted start)

entry views [n] (xs: [n]i32) : []i32 =
  loop a = xs for _i < 3i32 do reverse (shifted (reverse a))

entry grown [n] (xs: [n]i32) : []i32 =
  loop a = xs for _i < 3i32 do shifted a ++ a
