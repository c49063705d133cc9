-- Loops in thread blocks whose steps read memory of the device and what earlier steps have computed.
-- ==
-- entry: wavefront rows gathered conditions narrow nested tuples backwards summed
-- input { [[1, 2], [3, 4]] [0i64, 1i64] } auto output
-- random input { [1][1]i32 [0]i64 } auto output
-- random input { [7][40]i32 [5]i64 } auto output
-- random input { [3][100]i32 [64]i64 } auto output

def even (i: i64) = i % 2 == 0

def bounded (most: i64) (n: i64) = i64.min most n

-- Anti-diagonals of a tile, of which each element depends on three others and on one of the input.
entry wavefront [m] [n] (xss: [m][n]i32) (_: []i64) =
  let b = bounded 24 n
  in #[flattening(only_intra)]
     map (\(xs: [n]i32) ->
            let tile = replicate ((b + 1) * (b + 1)) 1i32
            in loop tile for d < b do
                 let vs = tabulate b (\i -> if i > d then 0
                                           else let (y, x) = (d - i, i)
                                                let up = #[unsafe] tile[y * (b + 1) + x + 1]
                                                let left = #[unsafe] tile[(y + 1) * (b + 1) + x]
                                                in i32.max up left + #[unsafe] xs[(x + y) % n])
                 let is = tabulate b (\i -> if i > d then -1 else (d - i + 1) * (b + 1) + i + 1)
                 in scatter tile is vs)
         xss

entry rows [m] [n] (xss: [m][n]i32) (_: []i64) =
  let k = bounded 16 m
  in #[flattening(only_intra)]
     map (\(xs: [n]i32) ->
            let w = bounded 32 n
            let first = take w xs
            in loop acc = first for i < k do
                 map2 (\a j -> a * 3 + #[unsafe] xss[i, j]) acc (iota w))
         xss

entry gathered [m] [n] (xss: [m][n]i32) (is: []i64) =
  let k = bounded 20 (length is)
  let w = bounded 32 n
  in #[flattening(only_intra)]
     map (\(xs: [n]i32) ->
            loop acc = replicate w 0i32 for i < k do
              map2 (\a j -> a + #[unsafe] xs[(is[i] % n + j) % n]) acc (iota w))
         xss

-- The second condition depends on earlier steps.
entry conditions [m] [n] (xss: [m][n]i32) (is: []i64) =
  let k = bounded 20 (length is)
  let w = bounded 32 n
  in #[flattening(only_intra)]
     map (\(xs: [n]i32) ->
            loop acc = replicate w 0i32 for i < k do
              map2 (\a j ->
                      let x = if j < i then #[unsafe] xs[(i + j) % n] else if even i then 7 else #[unsafe] xs[(i * j) % n]
                      in if a < 100 then a + x + #[unsafe] xs[i % n] else a - x)
                   acc (iota w))
         xss

-- A counter of another type; no steps at all where it is negative.
entry narrow [m] [n] (xss: [m][n]i32) (is: []i64) =
  let k = i32.i64 (bounded 20 (length is)) - 3
  let w = bounded 32 n
  in #[flattening(only_intra)]
     map (\(xs: [n]i32) ->
            loop acc = replicate w 1i32 for i < k do
              map2 (\a j -> a ^ #[unsafe] xs[(i64.i32 i * 5 + j) % n]) acc (iota w))
         xss

entry nested [m] [n] (xss: [m][n]i32) (is: []i64) =
  let k = bounded 6 (length is)
  let w = bounded 32 n
  in #[flattening(only_intra)]
     map (\(xs: [n]i32) ->
            loop acc = replicate w 1i32 for i < k do
              let acc = loop acc for j < 5i64 do
                          map2 (\a h -> a * 5 + #[unsafe] xs[(i * j + h) % n]) acc (iota w)
              in map2 (\a h -> a - #[unsafe] xs[(i + h) % n]) acc (iota w))
         xss

-- Values of two types, and two reads of one point.
entry tuples [m] [n] (xss: [m][n]i32) (is: []i64) =
  let k = bounded 12 (length is)
  let w = bounded 32 n
  let t = length is
  in #[flattening(only_intra)]
     map (\(xs: [n]i32) ->
            let (a, b) =
              loop (a, b) = (replicate w 1i32, replicate w 2i64) for i < k do
                unzip (map3 (\a b h -> (a + i32.i64 b + #[unsafe] xs[(i + h) % n], b + #[unsafe] is[(i + h) % t] % 1000))
                            a b (iota w))
            in map2 (\x y -> x + i32.i64 y) a b)
         xss

entry backwards [m] [n] (xss: [m][n]i32) (is: []i64) =
  let k = bounded 12 (length is)
  let w = bounded 32 n
  in #[flattening(only_intra)]
     map (\(xs: [n]i32) ->
            loop acc = replicate w 1i32 for i < k do
              let back = k - 1 - i
              in map2 (\a h -> a * 7 + #[unsafe] xs[(back + h) % n]) acc (iota w))
         xss

-- A reduction in each step.
entry summed [m] [n] (xss: [m][n]i32) (is: []i64) =
  let k = bounded 12 (length is)
  let w = bounded 32 n
  in #[flattening(only_intra)]
     map (\(xs: [n]i32) ->
            loop s = 0 for i < k do
              i32.sum (map (\h -> (s + i32.i64 h) ^ #[unsafe] xs[(i + h) % n]) (iota w)))
         xss
