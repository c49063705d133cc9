-- Recursion that gives back what it got on one side of its last branch: the other side writes over it.
-- ==
-- entry: quick second kept twice rows nested unproven
-- input { [5i64, 3i64, 9i64, 1i64, 3i64, 3i64, 8i64, -2i64, 0i64, 7i64, 5i64, 4i64, 11i64, 2i64, -7i64, 6i64, 1i64] } auto output
-- input { [1i64] } auto output
-- input { empty([0]i64) } auto output

def sorted [n] (xs: [n]i64) : [n]i64 =
  if n < 2
  then xs
  else let p = xs[n / 2]
       let low = sorted (filter (< p) xs)
       let high = sorted (filter (> p) xs)
       in (low ++ filter (== p) xs ++ high) :> [n]i64

entry quick [n] (xs: [n]i64) : [n]i64 = sorted xs

-- The second side gives it back; the first reads what it got while it writes.
def mixed [n] (xs: [n]i64) : [n]i64 =
  if n > 2
  then let h = n / 3
       let ys = mixed xs[:h]
       let zs = mixed xs[h:]
       in map2 (\i x -> x + 2 * xs[(i * 7 + 3) % n]) (iota n) ((zs ++ ys) :> [n]i64)
  else xs

entry second [n] (xs: [n]i64) : [n]i64 = mixed xs

-- What was given is used after the call.
entry kept [n] (xs: [n]i64) : ([n]i64, [n]i64) =
  let doubled = map (* 2) xs
  let ys = sorted doubled
  in (map2 (-) ys doubled, doubled)

-- The same array is given twice.
def both [n] (d: i64) (xs: [n]i64) : [n]i64 =
  if d <= 0 || n < 2
  then xs
  else let ys = both (d - 1) xs
       let zs = both (d - 2) xs
       in map3 (\x y z -> x + 2 * y - z) xs ys (reverse zs)

entry twice [n] (xs: [n]i64) : [n]i64 = both 4 xs

-- In a map, with rows of different sizes, which are needed afterwards.
entry rows [n] (xs: [n]i64) : ([n]i64, [n]i64) =
  let of (i: i64) (x: i64) = map (\j -> xs[(i + j * j) % n]) (iota (i64.abs x % 6 + i % 2))
  let sums (ys: []i64) = i64.sum (map2 (*) ys (indices ys))
  in unzip (map2 (\i x -> let ys = of i x in (sums (sorted ys), sums ys)) (iota n) xs)

-- A branch inside of the last one gives it back, too.
def deeper [n] (d: i64) (xs: [n]i64) : [n]i64 =
  if n < 2
  then xs
  else if d % 3 == 0
       then xs
       else let h = n / 2
            let ys = deeper (d - 1) xs[h:]
            let zs = deeper (d - 2) xs[:h]
            in (ys ++ zs) :> [n]i64

entry nested [n] (xs: [n]i64) : [n]i64 = deeper 8 xs

-- Sizes that do not match are found before anything is written; here they always match, though nobody can prove it.
def halves [n] (xs: [n]i64) : [n]i64 =
  if n < 3
  then xs
  else let (odd, even) = partition (\x -> x % 2 == 1) xs
       let ys = if length odd == n then copy xs else halves odd :> []i64
       let zs = if length even == n then copy xs else halves even :> []i64
       in take n (ys ++ zs) :> [n]i64

entry unproven [n] (xs: [n]i64) : [n]i64 = halves xs
