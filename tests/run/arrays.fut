-- Slices, updates and rearrangements.
-- ==
-- entry: slices
-- input { [1,2,3,4,5] } output { [2,3] [5,4,3,2,1] [1,3,5] }
-- input { [1,2] } error: Index \[1:3\] out of bounds for array of shape \[2\]

entry slices (xs: []i32) = (xs[1:3], xs[::-1], xs[::2])

-- ==
-- entry: update
-- input { [1,2,3] 1i64 9 } output { [1,9,3] }
-- input { [1,2,3] 3i64 9 } error: Index \[3\] out of bounds for array of shape \[3\]

entry update (xs: *[]i32) (i: i64) (v: i32) = xs with [i] = v

-- ==
-- entry: shapes
-- input { [[1,2,3],[4,5,6]] } output { [[1,4],[2,5],[3,6]] [1,2,3,4,5,6] [[1,2],[3,4],[5,6]] }

entry shapes (xss: [2][3]i32) = (transpose xss, flatten xss, unflatten (flatten xss :> [3 * 2]i32))

-- ==
-- entry: joined
-- input { [1,2] [3] } output { [1,2,3] [3,1,2] [2,1] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) }

entry joined (xs: []i32) (ys: []i32) =
  (xs ++ ys, rotate (length xs) (xs ++ ys), reverse xs)

-- ==
-- entry: zipped
-- input { [1,2] } output { [1,2] [9,2] [8,2] }

entry zipped (xs: []i32) =
  let zs = zip xs xs
  let zs[0] = (9, 8)
  let (as, bs) = unzip zs
  in (xs, as, bs)
