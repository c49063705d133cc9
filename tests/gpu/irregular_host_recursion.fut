-- Recursion that the host calls, outside of any map: all calls of one depth together.
-- ==
-- entry: quick merge sums both powers counts
-- input { [5i64, 3i64, 9i64, 1i64, 3i64, 3i64, 8i64, -2i64, 0i64, 7i64] } auto output
-- input { [1i64] } auto output
-- input { empty([0]i64) } auto output

def sorted [n] (xs: [n]i64) : [n]i64 =
  if n < 2
  then copy xs
  else let p = xs[n / 2]
       let low = sorted (filter (< p) xs)
       let high = sorted (filter (> p) xs)
       in (low ++ filter (== p) xs ++ high) :> [n]i64

entry quick [n] (xs: [n]i64) : [n]i64 = sorted xs

def rank [n] (xs: [n]i64) (before: i64 -> i64 -> bool) (x: i64) = i64.sum (map (\y -> i64.bool (before y x)) xs)

def merged [n] [m] (xs: [n]i64) (ys: [m]i64) : [n + m]i64 =
  let is = map2 (\x i -> i + rank ys (<) x) xs (iota n) ++ map2 (\y i -> i + rank xs (<=) y) ys (iota m)
  in scatter (replicate (n + m) 0) is (xs ++ ys)

def msort [n] (xs: [n]i64) : [n]i64 =
  if n < 2
  then copy xs
  else let h = n / 2
       in merged (msort xs[:h]) (msort xs[h:]) :> [n]i64

entry merge [n] (xs: [n]i64) : [n]i64 = msort xs

-- A sum by a tree; the array itself is the same in all calls.
def tree_sum [n] (xs: [n]i64) (from: i64) (to: i64) : i64 =
  if to - from <= 2
  then i64.sum (map (\i -> xs[i] * (i + 1)) (from..<to))
  else let middle = (from + to) / 2
       in tree_sum xs from middle + tree_sum xs middle to

entry sums [n] (xs: [n]i64) : i64 = tree_sum xs 0 n

-- A result of unknown size, in a loop and a branch of the host.
def split [n] (odd: bool) (xs: [n]i64) : []i64 =
  if n < 3
  then if odd then map (+ 1) xs else filter (> 1) xs
  else let ys = split (!odd) xs[:n / 3]
       in ys ++ split odd xs[n / 3:]

entry both [n] (xs: [n]i64) : []i64 =
  loop ys = copy xs for i < 2 do if i == 0 then split true ys else split (length ys > 3) (reverse ys)

-- Rows of a size that is the same in all calls; an array that is taken over.
def products [n] [m] (d: i64) (xss: *[n][m]i64) : ([m]i64, i64) =
  if d == 0
  then (map i64.sum (transpose xss), n)
  else let (a, i) = products (d - 1) (map (map (* 2)) xss)
       let (b, j) = products (d / 2) (filter (\r -> i64.sum r % 2 == 0) xss)
       in (map2 (-) a b, i + j)

entry powers [n] (xs: [n]i64) : ([3]i64, i64) = products 3 (map (\x -> [x, x * x % 7, 1]) xs)

-- Only numbers are given.
def counted (n: i64) : []i64 =
  if n <= 0
  then []
  else let xs = map (+ n) (iota (n % 4))
       let ys = counted (n / 2)
       let zs = counted (n - 3)
       in xs ++ ys ++ zs

entry counts [n] (xs: [n]i64) : []i64 = let ys = counted n in ys ++ xs
