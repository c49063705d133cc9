-- Reductions and scans, whose operators need the order of their operands, give the same for any number of threads.

type mat = (i64, i64, i64, i64)

def p : i64 = 1000003

def times (a: mat) (b: mat) : mat =
  ( (a.0 * b.0 + a.1 * b.2) % p
  , (a.0 * b.1 + a.1 * b.3) % p
  , (a.2 * b.0 + a.3 * b.2) % p
  , (a.2 * b.1 + a.3 * b.3) % p
  )

def number (seed: i64) (i: i64) : i64 = ((i + seed) * 6364136223846793005 + 1442695040888963407) >> 33 & 1023

def matrix (i: i64) : mat = (number 1 i, number 2 i, number 3 i, number 4 i)

def ends (a: (bool, i64, i64)) (b: (bool, i64, i64)) : (bool, i64, i64) =
  if !a.0 then b else if !b.0 then a else (true, a.1, b.2)

entry sums (n: i64) : (i64, i64, i64) =
  let xs = map (number 7) (iota n)
  in (i64.sum xs, i64.maximum xs, i64.sum (map2 (*) xs (iota n)))

entry products (n: i64) : mat = reduce times (1, 0, 0, 1) (map matrix (iota n))

entry first_and_last (n: i64) : (bool, i64, i64) =
  reduce ends (false, 0, 0) (map (\i -> (i % 3 == 1, i, i)) (iota n))

entry prefixes (n: i64) : []i64 =
  let xs = scan (+) 0 (map (number 5) (iota n))
  let ys = scan i64.max i64.lowest (map (\x -> x % 1000) xs)
  in map2 (+) xs ys

entry matrix_prefixes (n: i64) : i64 =
  let ms = scan times (1, 0, 0, 1) (map matrix (iota n))
  in i64.sum (map2 (\i m -> i * m.0 + 3 * m.3 + i % 7 * (m.1 + 5 * m.2)) (iota n) ms)

-- Costly elements: they are not computed twice.
def costly (i: i64) : i64 = loop x = i for k < 50 do (x * 1103515245 + 12345 + k) % 2147483648

entry costly_prefixes (n: i64) : []i64 = scan (+) 0 (map costly (iota n))

entry both (n: i64) : (i64, []i64) =
  let xs = map costly (iota n)
  in (i64.sum xs, scan (+) 0 xs)

-- Operators on arrays.
entry rows (n: i64) : [4]i64 =
  reduce (map2 (+)) (replicate 4 0) (map (\i -> tabulate 4 (\j -> number j i)) (iota n))

entry row_prefixes (n: i64) : [][4]i64 =
  scan (map2 i64.max) (replicate 4 0) (map (\i -> tabulate 4 (\j -> number j i)) (iota n))
