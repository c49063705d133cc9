-- Threads that have all of their points run code without tests for each, the others the same with tests. The thresholds beside this file let small maps have several
-- points for each thread; the sizes are below, at and beyond those of blocks.
-- ==
-- entry: line plane space placed straight
-- input { 1i64 } auto output
-- input { 255i64 } auto output
-- input { 1023i64 } auto output
-- input { 1024i64 } auto output
-- input { 1025i64 } auto output
-- input { 2048i64 } auto output

entry line (n: i64) =
  let xs = map (\i -> f32.i64 (i % 97)) (iota n)
  in map2 (\x i -> x / 3 + f32.i64 i) (reverse xs) (iota n)

entry plane (n: i64) =
  let rows = n / 64 + 1
  let xss = tabulate_2d rows 64 (\i j -> i32.i64 (i * 100 + j))
  in map2 (map2 (\x y -> x * 2 + y)) xss (reverse xss)

entry space (n: i64) =
  let rows = n / 128 + 1
  let xsss = tabulate_3d 3 rows 32 (\k i j -> i32.i64 (k * 10000 + i * 100 + j))
  let ysss = map (map (map (+ 1))) (reverse xsss)
  in (xsss, map2 (map2 (map2 (\x y -> x - 2 * y))) xsss ysss)

entry placed (n: i64) =
  let xs = map (\i -> i32.i64 (i % 91)) (iota n)
  let is = map (\i -> if i % 5 == 0 then -1 else (i * 7) % n) (iota n)
  in scatter (replicate n 0) is (map (+ 3) (reverse xs))

entry straight (n: i64) =
  let xs = map (\i -> i32.i64 (i % 91)) (iota n)
  let step (k: i32) x = (x * 3 + k) ^ (x >> 2)
  let steps k x = step k (step (k + 1) (step (k + 2) (step (k + 3) (step (k + 4) x))))
  let is = map (\i -> (i * 7) % n) (iota n)
  in map2 (\x y -> steps 1 (steps 2 (if x < y then steps 3 (x + y) else x - y))) xs (scatter (replicate n 5) is xs)
