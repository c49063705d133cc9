-- Irregular nests whose points only reduce: several threads for each point. The sizes are such that teams have two to
-- 256 members, and that some points have fewer elements than their team has members.
-- ==
-- entry: sums first_negative windows
-- input { [0i64, 1i64, 2i64, 100i64, 3i64, 17i64] } auto output
-- input { [5000i64] } auto output
-- input { empty([0]i64) } auto output

-- ==
-- entry: rows
-- input { [0i64, 3i64, 3i64, 40i64] [3i64, 3i64, 40i64, 41i64] } auto output
-- input { [0i64] [64i64] } error: Index \[0:64\] out of bounds

entry sums (ns: []i64) : []i64 = map (\n -> i64.sum (iota n)) ns

def table = map (\i -> 7 + 2 * i) (iota 41)

entry rows (starts: []i64) (ends: []i64) : ([]i64, []i64) =
  unzip (map2 (\s e ->
                 let row = table[s:e]
                 let less = map (\i -> i32.i64 (-i)) (iota (e - s))
                 in ( i64.sum (map2 (\x i -> x - i % 2) row (iota (e - s)))
                    , i64.i32 (i32.minimum (map2 (\x l -> if x > 1000 then 0 else l - i32.i64 s) row less))))
              starts ends)

-- An operator that does not commute: where the first number of a kind is, and how many follow.
entry first_negative (ns: []i64) : ([]i64, []i64) =
  let op (a: i64, k: i64) (b: i64, l: i64) = if a < 0 then (b, l) else (a, k + l)
  let f i = if i % 10 == 7 || i > 7 then (if i == 7 then 7 else i, 1) else (-1, 0)
  in unzip (map (\n -> reduce op (-1, 0) (map f (iota n))) ns)

-- Views of views, and of values of the point.
entry windows (ns: []i64) : []i64 =
  map (\n ->
         let xs = iota n
         let upper = xs[n / 3:]
         let back = upper[::-1]
         in i64.sum (map2 (\a b -> a * 2 + b) upper back) + i64.sum (map2 (*) (replicate (n / 3) n) (iota (n / 3))))
      ns

-- The version for many points may run few of them: nothing is concluded from their usual number.
-- ==
-- entry: least_lengths
-- input { [1i64, 2i64, 3i64] } auto output

entry least_lengths [m] (ys: [m]i64) : [m]i64 =
  map (\y ->
         let zs = loop zs = copy ys for _i < 2 do (let q = filter (\x -> x >= y) zs ++ ys in q[:i64.min 40 (length q)])
         in length zs)
      ys
