-- Vectors that are rotated or joined, and whose parts change before the joined array is read.
-- ==
-- entry: rotated
-- input { [1, 2, 3] } output { [9, 5, 4] }

-- ==
-- entry: rows
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[9, 5, 4], [12, 11, 10]] }

-- ==
-- entry: joined
-- input { [1, 2] [3] } output { [8, 4, 6] }

entry rotated [n] (w: *[n]i32) : [n]i32 =
  let v = rotate 1 w
  let w = w with [0] = 7
  in map2 (+) v w

entry rows [n][m] (wss: [n][m]i32) : [n][m]i32 =
  map (\w -> let w = copy w
             let v = rotate 1 w
             let w = w with [0] = 7
             in map2 (+) v w) wss

entry joined [n][m] (w: *[n]i32) (x: [m]i32) : []i32 =
  let v = w ++ x
  let w = w with [0] = 7
  in map2 (+) v (w ++ x)
