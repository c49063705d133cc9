-- Filters of the same elements by several conditions, which share bytes and may hold together: two, three, and more than a byte has bits.
-- ==
-- entry: overlapping apart ten
-- input { 0i64 } auto output
-- input { 1i64 } auto output
-- input { 20000i64 } auto output

def numbers (n: i64) : [n]i64 = map (\i -> (i * 7919 + i / 3 * 31) % 1009) (iota n)

def placed [n] (xs: [n]i64) : i64 = i64.sum (map2 (\x i -> x * (i + 1)) xs (iota n))

-- Numbers that are the pivot are in all of the three parts.
def parts [n] (depth: i64) (xs: [n]i64) : i64 =
  if n < 3 || depth == 0
  then placed xs
  else let p = xs[n / 2]
       let low = filter (<= p) xs
       let high = filter (>= p) xs
       let near = filter (\x -> (x - p) % 2 == 0) xs
       in (parts (depth - 1) low + 3 * parts (depth - 1) high + placed near) % 1000003

entry overlapping (n: i64) : i64 = parts 5 (numbers n)

-- Numbers beside each other in two arrays, of different types.
def both [n] (depth: i64) (xs: [n]i64) (ys: [n]i8) : i64 =
  if n < 3 || depth == 0
  then placed (map2 (\x y -> x + i64.i8 y) xs ys)
  else let p = xs[n / 2]
       let (lx, ly) = unzip (filter (\(x, _) -> x < p) (zip xs ys))
       let (hx, hy) = unzip (filter (\(x, y) -> x > p && y != 3) (zip xs ys))
       in (both (depth - 1) lx ly + 5 * both (depth - 1) hx hy) % 1000003

entry apart (n: i64) : i64 = let xs = numbers n in both 6 xs (map i8.i64 xs)

-- Ten conditions.
def digits [n] (depth: i64) (xs: [n]i64) : i64 =
  if n < 3 || depth == 0
  then placed xs
  else let p = xs[n / 2]
       let a = filter (\x -> x % 10 == 0) xs
       let b = filter (\x -> x % 10 == 1) xs
       let c = filter (\x -> x % 10 == 2) xs
       let d = filter (\x -> x % 10 == 3) xs
       let e = filter (\x -> x % 10 == 4) xs
       let f = filter (\x -> x % 10 > 4) xs
       let g = filter (\x -> x % 10 > 5) xs
       let h = filter (\x -> x % 10 > 6) xs
       let i = filter (\x -> x % 10 > 7) xs
       let j = filter (\x -> x < p) xs
       let sum = placed a + 2 * placed b + 3 * placed c + 4 * placed d + 5 * placed e + 6 * placed f + 7 * placed g + 8 * placed h
       in (sum + digits (depth - 1) i + 3 * digits (depth - 1) j) % 1000003

entry ten (n: i64) : i64 = digits 3 (numbers n)
