-- Functions that are not inlined, and recursion, inside of irregular nests.
-- ==
-- entry: arrays scalars unique same growing sorts trees products
-- input { [3i64, 0i64, 7i64, 1i64, 12i64] } auto output
-- input { [0i64, 0i64] } auto output
-- input { empty([0]i64) } auto output
-- input { [5i64] } auto output

def f (i: i64) = i * i % 7

#[noinline]
def kept [n] (xs: [n]i64) : []i64 = filter (> 1) (map f xs)

entry arrays (ns: []i64) = map (\n -> i64.sum (scan (+) 0 (kept (iota n)))) ns

#[noinline]
def total (n: i64) : i64 = i64.sum (scan (+) 0 (map f (iota n)))

entry scalars (ns: []i64) = map total ns

-- Elements that are written several times get the same value each time.
#[noinline]
def written [n] (xs: *[n]i64) : *[n]i64 = scatter xs (map f (iota n)) (map (\i -> f i + 3) (iota n))

entry unique (ns: []i64) =
  map (\n ->
         let xs = written (iota n)
         let xs = if n > 2 then xs with [1] = 7 else xs
         in i64.sum (map2 (*) xs (iota n)))
      ns

-- One argument is the same at all points.
#[noinline]
def part [m] (xs: [m]i64) (n: i64) : []i64 = filter (< n) xs

entry same (ns: []i64) = let all = scan (+) 0 ns in map (\n -> i64.sum (scan (+) 0 (part all (3 * n)))) ns

def grown [m] (n: i64) (xs: [m]i64) : []i64 = if n <= 0 then xs else grown (n / 2) (xs ++ map (+ n) xs)

entry growing (ns: []i64) = map (\n -> let xs = grown n [n] in i64.sum (map2 (*) xs (indices xs))) ns

def sorted [n] (xs: [n]i64) : [n]i64 =
  if n < 2
  then copy xs
  else let p = xs[n / 2]
       let low = sorted (filter (< p) xs)
       let high = sorted (filter (> p) xs)
       in (low ++ filter (== p) xs ++ high) :> [n]i64

entry sorts (ns: []i64) =
  map (\n -> let xs = sorted (map (\i -> i * 7919 % 13) (iota n)) in i64.sum (map2 (*) xs (iota n))) ns

def nodes (n: i64) : i64 = if n <= 1 then n else i64.sum (map nodes (iota (n / 2))) + n

entry trees (ns: []i64) = map nodes ns

-- Recursion on scalars, which OpenCL does not have.
def product (n: i64) : i64 = if n <= 1 then 1 else n * product (n - 1) % 1009

entry products (ns: []i64) = map product ns
