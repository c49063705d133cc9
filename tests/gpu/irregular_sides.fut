-- Irregular operations on one side of a branch. How much points may have to do is known before, unless what computes it may fail where
-- the other side is taken.
-- ==
-- entry: sums quotients elements nested
-- input { [0i64, 1i64, 700i64, 3i64, -5i64, 12i64] } auto output
-- input { empty([0]i64) } auto output

entry sums (ns: []i64) : []i64 = map (\n -> if n < 0 then n else i64.sum (map (\i -> i * i % 7) (iota n))) ns

entry quotients (ns: []i64) : []i64 =
  map (\n -> if n % 3 == 0 then 0 else i64.sum (iota (i64.max 0 (2100 / (n % 3 * (n - n / 3 * 3)))))) ns

entry elements (ns: []i64) : []i64 =
  let sizes = [4i64, 0, 900, 2]
  in map (\n -> if n >= 0 && n < 4 then i64.sum (iota sizes[n]) else -n) ns

entry nested (ns: []i64) : []i64 =
  map (\n ->
         if n < 0 then n
         else let m = n * 2
              in if n < 10 then i64.sum (iota m) else i64.maximum (map (% 11) (iota (m + 1))) + i64.sum (iota n))
      ns

-- The irregular part is inside of two regular levels, with a number of which only the last element is needed.
-- ==
-- entry: regular_levels
-- input { [3i64, 0i64, 7i64] [1i64, 2i64, 9i64, 5i64] } auto output
-- input { [3i64] empty([0]i64) } auto output
-- input { empty([0]i64) [3i64] } auto output
entry regular_levels [n] [m] (ts: [n]i64) (xs: [m]i64) : [n]i64 =
  map (\t ->
         i64.sum (map (\x ->
                         if x >= t
                         then 0
                         else let ks = map (\k -> (k * x) ^ t) (iota (t - x))
                              in i64.sum (map (\k -> k % 5) ks) - last ks)
                      xs))
      ts
