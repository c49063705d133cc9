-- Recursion with several calls inside of irregular nests: those that do not need each other's results are made together.
-- ==
-- entry: sides divided thirds conditions unique shared searched
-- input { [3i64, 0i64, 7i64, 1i64, 12i64, 40i64] } auto output
-- input { [0i64, 0i64] } auto output
-- input { empty([0]i64) } auto output
-- input { [25i64] } auto output

def numbers (n: i64) = map (\i -> i * 7919 % 31) (iota n)

def checksum [n] (xs: [n]i64) = i64.sum (map2 (*) xs (map (+ 1) (iota n)))

-- Calls on the sides of a branch, in a map.
def placed [n] (before: i64) (xs: [n]i64) : i64 =
  if n == 0
  then 0
  else let p = xs[n / 2]
       let less = filter (< p) xs
       let more = filter (> p) xs
       let (first, end) = (before + length less, before + n - length more)
       let own = p * ((end - first) * (first + end - 1) / 2)
       in own + i64.sum (map (\side -> if side == 0 then placed before less else placed end more) (iota 2))

entry sides (ns: []i64) = map (\n -> placed 0 (numbers n)) ns

-- The same, where the side is not known before.
def turned [n] (before: i64) (xs: [n]i64) : i64 =
  if n == 0
  then 0
  else let p = xs[n / 2]
       let less = filter (< p) xs
       let more = filter (> p) xs
       let (first, end) = (before + length less, before + n - length more)
       let own = p * ((end - first) * (first + end - 1) / 2)
       in own + i64.sum (map (\side -> if side == p % 2 then turned before less else turned end more) (iota 2))

entry divided (ns: []i64) = map (\n -> turned 0 (numbers n)) ns

-- Three points that do different things; two numbers of each are kept.
def third [n] (xs: [n]i64) : i64 =
  if n < 3
  then n
  else let k = n / 3
       let (own, others) =
         unzip (map (\i -> if i < 4
                           then (third xs[:k], i + 1)
                           else if i == 4 then (third (filter (\x -> x % 3 == 1) xs[1:]), xs[k])
                           else (xs[i % n] + third xs[n - k:], i))
                    (map (+ 3) (iota 3)))
       in (own[0] + 3 * own[1] + 5 * own[2] + 7 * others[0] + 11 * others[1] + 13 * others[2]) % 10007

entry thirds (ns: []i64) = map (\n -> third (numbers n)) ns

-- Calls that only some points make, beside one that all make.
def some [n] (xs: [n]i64) : i64 =
  if n == 0
  then 1
  else let p = xs[n / 2]
       let (less, more) = partition (< p) xs
       let a = if length less > 2 then some less else 3
       let b = if length more > 4 then some more[1:] else if p % 2 == 0 then 5 else some more[1:length more / 2 + 1]
       in (a * 3 + b + some less[:length less / 2]) % 10007

entry conditions (ns: []i64) = map (\n -> some (numbers n)) ns

-- Arrays that are taken over, and results that are changed.
def taken [n] (xs: *[n]i64) : *[n]i64 =
  if n < 2
  then xs
  else let h = n / 2
       let a = taken (copy xs[:h])
       let b = taken (copy xs[h:])
       let a = a with [0] = a[0] + b[0]
       let b = scatter b (iota (n - h)) (map (* 2) (iota (n - h)))
       let xs = xs with [0] = 5
       in (a ++ map2 (+) b xs[h:]) :> [n]i64

entry unique (ns: []i64) = map (\n -> checksum (taken (numbers n))) ns

-- Arrays of one size at all points, which change after the first call.
def rows [k] (n: i64) (xs: *[k]i64) : *[k]i64 =
  if n <= 0
  then xs
  else let a = rows (n / 2) (copy xs)
       let xs = xs with [n % k] = n
       let b = rows (n / 3) (copy xs)
       let c = xs with [0] = b[1 % k]
       in map3 (\x y z -> (x + 2 * y + z) % 10007) a b c

entry shared (ns: []i64) = map (\n -> i64.sum (map2 (*) (rows n (iota 4)) (iota 4))) ns

-- Results whose sizes only the function knows.
def search [n] (depth: i64) (xs: [n]i64) : ([]i64, i64) =
  if n == 0 || depth == 0
  then (xs, depth)
  else let (a, i) = search (depth - 1) (filter (\x -> x % 3 != 0) xs)
       let (b, j) = search (depth - 1) (map (\x -> x / 2) xs[n / 2:])
       in (filter (\x -> x % 5 != i % 5) (a ++ b), i + 2 * j)

entry searched (ns: []i64) = map (\n -> let (xs, i) = search 3 (numbers n) in checksum xs + i) ns
