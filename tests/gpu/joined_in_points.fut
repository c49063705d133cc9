-- Arrays that points join, or compute all alike in a branch: no thread makes its own.
-- ==
-- entry: joined
-- input { [0i64, 3i64, 4i64] 9i64 [0i64, 1i64, 2i64, 5i64] } output { [3i64, 1i64, 5i64, 0i64] }
-- input { empty([0]i64) 9i64 [0i64] } output { [0i64] }
-- entry: three
-- input { [1i64, 2i64] [3i64] [0i64, 1i64, 2i64, 3i64] } output { [1i64, 2i64, 3i64, 3i64] }
-- input { [1i64, 2i64] [3i64] [4i64] } error: Index \[4\] out of bounds
-- entry: branch
-- input { [2i64, -1i64, 0i64] [5i64, 6i64, 7i64] } output { [18i64, 0i64, 5i64] }
-- input { [3i64] [5i64, 6i64, 7i64] } error: Index \[3\] out of bounds

entry joined [n] (starts: [n]i64) (end: i64) (is: []i64) =
  map (\i -> if i < n then let s = starts ++ [end] in s[i + 1] - s[i] else 0) is

entry three (a: []i64) (b: []i64) (is: []i64) = map (\i -> let s = a ++ b ++ [i] in s[i]) is

entry branch (is: []i64) (sizes: []i64) = map (\i -> if i >= 0 then (scan (+) 0 sizes)[i] else 0) is
