-- An update costs as much as it writes, also where the value written depends on the array.
-- ==
-- entry: same
-- input { 3i64 [5i64, 6i64, 7i64, 8i64] } auto output

-- ==
-- entry: neighbour
-- input { 3i64 [5i64, 6i64, 7i64, 8i64] } auto output

-- ==
-- entry: swap
-- input { 3i64 [5i64, 6i64, 7i64, 8i64] } auto output

-- ==
-- entry: at_data
-- input { [2i64, 0i64, 1i64, 3i64] } auto output

-- ==
-- entry: cells
-- input { 2i64 [[5i64, 6i64], [7i64, 8i64]] } auto output

-- ==
-- entry: scattered
-- input { 3i64 [5i64, 6i64, 7i64, 8i64] [3i64, 0i64, 3i64, -1i64] } auto output

-- ==
-- entry: counted
-- input { 2i64 [5i64, 6i64, 7i64, 8i64] [3i64, 0i64, 3i64, 9i64] } auto output

-- ==
-- entry: shifted
-- input { 3i64 [[5i64, 6i64], [7i64, 8i64], [1i64, 2i64], [0i64, 0i64]] } auto output

-- ==
-- entry: in_branch
-- input { true [5i64, 6i64, 7i64, 8i64] } auto output
-- input { false [5i64, 6i64, 7i64, 8i64] } auto output

-- ==
-- entry: mixed
-- input { [5i64, 6i64, 7i64, 8i64] [1i64, 0i64, -1i64, 3i64] } auto output

entry same [n] (k: i64) (xs: *[n]i64) : *[n]i64 = loop xs for i < k do xs with [i] = xs[i] + 1

entry neighbour [n] (k: i64) (xs: *[n]i64) : *[n]i64 = loop xs for i < k do xs with [i + 1] = xs[i] * 3

entry swap [n] (k: i64) (xs: *[n]i64) : *[n]i64 =
  loop xs for i < k do
    let t = copy xs[i]
    let xs = xs with [i] = xs[i + 1]
    in xs with [i + 1] = t

entry at_data [n] (xs: *[n]i64) : *[n]i64 = loop xs for i < n do xs with [xs[i] % n] = xs[i] + i

entry cells [n] [m] (k: i64) (xss: *[n][m]i64) : *[n][m]i64 = loop xss for i < k do xss with [i, i] = xss[i, 0] * 2

entry scattered [n] [k] (t: i64) (xs: *[n]i64) (is: [k]i64) : *[n]i64 =
  loop xs for _i < t do scatter xs is (map (\i -> xs[i % n] + 1) is)

entry counted [n] [k] (t: i64) (xs: *[n]i64) (is: [k]i64) : *[n]i64 =
  loop xs for _i < t do reduce_by_index xs (+) 0 is (map (\i -> xs[i % n] + 1) is)

entry shifted [n] [m] (t: i64) (xss: *[n][m]i64) : *[n][m]i64 =
  loop xss for i < t do xss with [i + 1] = map (+ 1) xss[i]

entry in_branch [n] (c: bool) (xs: *[n]i64) : *[n]i64 =
  loop xs for i < n - 1 do
    if c then xs with [i] = xs[i] + xs[i + 1] else xs with [n - 1] = xs[i] - 7

-- One branch reads what it writes to, the other does not.
entry mixed [n] (xs: *[n]i64) (ys: [n]i64) : *[n]i64 =
  loop xs for i < n do
    if ys[i] > 0 then xs with [i] = ys[i] * 2 else xs with [i] = xs[i] + 1

-- Rows of pairs, transposed: the map stores its elements in their places.
-- ==
-- entry: transposed_pairs
-- input { 2i64 [[1i64, 2i64, 3i64, 4i64], [5i64, 6i64, 7i64, 8i64], [9i64, 10i64, 11i64, 12i64]] }
-- output { [3i64, 11i64, 19i64, -1i64, -1i64, -1i64, 7i64, 15i64, 23i64, -1i64, -1i64, -1i64] }
-- input { 0i64 [empty([0]i64)] } output { empty([0]i64) }

entry transposed_pairs [n] (m: i64) (xss: [n][m * 2]i64) : []i64 =
  flatten (transpose (map (\xs -> flatten (map (\p -> [p[0] + p[1], p[0] - p[1]]) (unflatten xs))) xss))
