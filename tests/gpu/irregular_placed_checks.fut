-- Recursion that writes results where they end up: sizes that do not fit are found on the way down.
-- ==
-- entry: lost doubled in_map
-- input { [5i64, 3i64, 9i64, 1i64, 3i64, 3i64, 8i64, -2i64, 0i64, 7i64] } error: cannot match shape
-- input { [1i64] } auto output

-- The pivot is lost.
def less [n] (xs: [n]i64) : [n]i64 =
  if n < 2
  then xs
  else let p = xs[n / 2]
       in (less (filter (< p) xs) ++ less (filter (> p) xs)) :> [n]i64

-- Some of them are there twice, at the third depth.
def more [n] (d: i64) (xs: [n]i64) : [n]i64 =
  if n < 2
  then xs
  else let h = n / 2
       in (more (d + 1) xs[:h] ++ more (d + 1) xs[h - i64.bool (d == 2):]) :> [n]i64

entry lost [n] (xs: [n]i64) : [n]i64 = less xs

entry doubled [n] (xs: [n]i64) : [n]i64 = more 0 xs

entry in_map [n] (xs: [n]i64) : [n]i64 = map (\x -> i64.sum (less (map (+ x) (iota (i64.abs x % 5))))) xs
