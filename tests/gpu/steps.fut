-- What no kernel can run, since it would have to allocate, is run step by step by the host.
-- ==
-- entry: shrinking
-- input { [3i64, 7i64, 9i64, 1i64, 0i64] } auto output

-- ==
-- entry: shrinking_rows
-- input { [[3i64, 7i64], [9i64, 1i64], [0i64, 4i64]] } auto output

-- ==
-- entry: recursive
-- input { [3i64, 4i64, 0i64] } auto output

-- ==
-- entry: scanned
-- input { [3i64, 4i64, 2i64, 5i64] } auto output

-- ==
-- entry: vectors
-- input { [0i64, 2i64, 1i64, 2i64, 9i64, -1i64] } auto output

-- The halves that are left depend on what is in the array.
def halves (n: i64) : i64 =
  let (_, _, s) =
    loop (xs, i, s) = (iota n, 0, 0)
    while i < 5 && not (null xs) do
      let xs = filter (\x -> (x * 7 + s) %% 3 != i %% 3) xs
      in (xs ++ take (length xs / 2) xs, i + 1, s + i64.sum xs)
  in s

entry shrinking (ns: []i64) : []i64 = map halves ns

entry shrinking_rows (nss: [][]i64) : [][]i64 = map (map (\n -> 2 * halves n)) nss

-- A function of arrays that calls itself.
def sums [k] (xs: [k]i64) : i64 =
  if length xs <= 1 then i64.sum xs else 1 + sums (filter (> 1) (tail xs)) + sums (take (length xs / 2) xs)

entry recursive (ns: []i64) : []i64 = map (\n -> sums (map (+ n) (iota n))) ns

-- In the operator of a scan, of which only the host knows the order.
entry scanned (ns: []i64) : []i64 = scan (\a b -> a + b) 0 (map halves ns)

-- Accumulators whose operator is on arrays.
entry vectors [n] (is: [n]i64) : [3][2]i64 =
  let add (a: [2]i64) (b: [2]i64) = map2 (+) (map (* 2) (reverse a)) (scan (+) 0 b)
  in intrinsics.hist_stream (replicate 3 [1, 2]) add [0, 0] (\(acc: *intrinsics.acc ([3][2]i64)) i -> intrinsics.acc_write acc i [i, 1]) is :> [3][2]i64

-- A function of numbers that calls itself: CUDA's kernels can, OpenCL's cannot.
-- ==
-- entry: deep
-- input { [0i64, 1i64, 5i64, 10i64] } output { [0i64, 1i64, 5i64, 55i64] }

def fib (n: i64) : i64 = if n < 2 then n else fib (n - 1) + fib (n - 2)
entry deep (ns: []i64) = map fib ns

-- The same in operators.
-- ==
-- entry: divisors
-- input { [12i64, 18i64, 8i64] } output { 2i64 [12i64, 6i64, 2i64] [4i64, 18i64] [2i64, 2i64] }

def gcd (a: i64) (b: i64) : i64 = if b == 0 then a else gcd b (a % b)
entry divisors [n] (xs: [n]i64) =
  let is = map (% 2) (iota n)
  in ( reduce gcd 0 xs
     , scan gcd 0 xs
     , reduce_by_index [0, 0] gcd 0 is xs
     , intrinsics.hist_stream [6, 8] gcd 0 (\(acc: *intrinsics.acc ([2]i64)) i -> intrinsics.acc_write acc (i % 2) xs[i]) (iota n) :> [2]i64)
