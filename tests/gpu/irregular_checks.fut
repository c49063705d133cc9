-- Checks of points on which only statements of the host rely: the sizes of what calls return, joined and cast to the size before.
-- ==
-- entry: unequal
-- input { [5i64, 3i64, 9i64, 1i64, 8i64, -2i64, 0i64, 7i64] } output { [-2i64, 0i64, 1i64, 3i64, 5i64, 7i64, 8i64, 9i64] }
-- input { [5i64, 3i64, 9i64, 1i64, 8i64, -2i64, 3i64, 7i64] } error: cannot match shape
-- input { empty([0]i64) } output { empty([0]i64) }

def sorted [n] (xs: [n]i64) : [n]i64 =
  if n < 2
  then copy xs
  else let p = xs[n / 2]
       let low = sorted (filter (< p) xs)
       let high = sorted (filter (> p) xs)
       in (low ++ [p] ++ high) :> [n]i64

entry unequal [n] (xs: [n]i64) : [n]i64 = sorted xs

-- ==
-- entry: but_four
-- input { [5i64, 3i64, 9i64, 3i64, 8i64, -2i64, 0i64, 9i64] } output { [-2i64, 0i64, 3i64, 3i64, 5i64, 8i64, 9i64, 9i64] }
-- input { [5i64, 3i64, 9i64, 4i64, 4i64, -2i64, 3i64, 7i64] } error: cannot match shape
def all_but_four [n] (xs: [n]i64) : [n]i64 =
  if n < 2
  then copy xs
  else let p = xs[n / 2]
       let low = all_but_four (filter (< p) xs)
       let high = all_but_four (filter (> p) xs)
       in (low ++ filter (\x -> x == p && x != 4) xs ++ high) :> [n]i64

entry but_four [n] (xs: [n]i64) : [n]i64 = all_but_four xs
