-- Checks that fail in a kernel: the message names the place, and the program goes on to the next call.
-- ==
-- entry: index
-- input { [1, 2, 3] [0i64, 1i64, 5i64] } error: out of bounds
-- input { [1, 2, 3] [0i64, 1i64, 2i64] } output { [1, 2, 3] }

-- ==
-- entry: division
-- input { [1, 0, 3] } error: zero

-- ==
-- entry: in_reduction
-- input { [1, 2, 3] [0i64, 1i64, 5i64] } error: out of bounds

-- ==
-- entry: in_scan
-- input { [1, 2, 3] [0i64, 7i64, 1i64] } error: out of bounds

-- ==
-- entry: asserted
-- input { [1, -2, 3] } error: x > 0

entry index (xs: []i32) (is: []i64) = map (\i -> xs[i]) is
entry division (xs: []i32) = map (100 /) xs
entry in_reduction (xs: []i32) (is: []i64) = reduce (+) 0 (map (\i -> xs[i]) is)
entry in_scan (xs: []i32) (is: []i64) = scan (+) 0 (map (\i -> xs[i]) is)
def positive (x: i32) = assert (x > 0) x
entry asserted (xs: []i32) = map positive xs
