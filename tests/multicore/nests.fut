-- Operations inside of operations, of all shapes, give the same for any number of threads.

def number (seed: i64) (i: i64) : i64 = ((i + seed) * 6364136223846793005 + 1442695040888963407) >> 33 & 1023

def rectangle (n: i64) (m: i64) : [n][m]i64 = tabulate_2d n m (\i j -> number i j)

-- Few rows, many rows.
entry few_rows (n: i64) : ([]i64, [][]i64) =
  let xss = rectangle 3 n
  in (map i64.sum xss, map (scan (+) 0) xss)

entry many_rows (n: i64) : ([]i64, []i64) =
  let xss = rectangle n 3
  in (map i64.sum xss, map (\xs -> last (scan i64.max 0 xs)) xss)

entry products (n: i64) : [][]i64 =
  let a = rectangle 5 n
  let b = rectangle n 4
  in map (\xs -> map (\ys -> i64.sum (map2 (*) xs ys)) (transpose b)) a

entry cube (n: i64) : i64 =
  let c = tabulate_3d 7 n 11 (\i j k -> number i (j * 11 + k))
  in i64.sum (map (\x -> i64.maximum (map i64.sum x)) c)

-- Rows of different lengths.
entry triangle (n: i64) : []i64 = map (\i -> i64.sum (map (number i) (iota (i % 200)))) (iota n)

entry sieve (n: i64) : []i64 =
  map (\i -> length (filter (\x -> x % 2 == i % 2) (map (number i) (iota (i % 50))))) (iota n)

-- Arrays of a task's own, changed in place.
entry in_place (n: i64) : [][]i64 =
  map (\i -> loop xs = map (number i) (iota 8) for k < 8 do xs with [k] = xs[(k + 1) % 8] + xs[k]) (iota n)

entry nested_hists (n: i64) : [][]i64 =
  map (\i -> hist (+) 0 5 (map (\j -> number i j % 5) (iota n)) (iota n)) (iota 3)

entry nested_scatters (n: i64) : [][]i64 =
  map (\i -> scatter (replicate n i) (map (\j -> (j * 2 + i) % (n + 1)) (iota n)) (iota n)) (iota 4)

entry loops_of_maps (n: i64) : []i64 =
  loop xs = iota n for k < 20 do map2 (\x y -> (x + y * k) % 1000) xs (rotate 1 xs)

#[noinline]
def collatz (x: i64) : i64 =
  let (_, steps) = loop (x, steps) = (x, 0) while x > 1 do (if x % 2 == 0 then x / 2 else 3 * x + 1, steps + 1)
  in steps

#[noinline]
def spread (n: i64) (x: i64) : i64 = i64.sum (map (\i -> collatz (i + x)) (iota n))

entry calls (n: i64) : []i64 = map (\i -> spread (n % 100) i) (iota (n % 1000))

-- Branches in tasks that hand on what they were given.
entry branches (n: i64) : [][]i64 =
  let xs = iota 10
  let ys = map (* 2) xs
  in map (\i -> let zs = if i % 2 == 0 then xs else ys in map (+ zs[i % 10]) zs) (iota n)

-- A function that returns a scalar, called in tasks of a task.
#[noinline] def chosen [n] (xs: [n]i64) : i64 = if n > 3 then xs[0] else n

entry called (n: i64) : [][]i64 =
  let us = map (number 7) (iota 5)
  in map (\xs -> reverse (map (\x -> x + us[chosen us % 5]) xs)) (rectangle n 4)
