-- Sizes known only at run time.
-- ==
-- entry: grow
-- input { 3i64 } output { [0i64,0,1,0,1,2] 6i64 }
-- input { 0i64 } output { empty([0]i64) 0i64 }

entry grow (n: i64) =
  let xs = loop xs = [] for i < n do xs ++ iota (i + 1)
  in (xs, length xs)

-- ==
-- entry: choose
-- input { true 2i64 } output { [0i64,1] }
-- input { false 2i64 } output { [7i64,7,7] }

entry choose (b: bool) (n: i64) : []i64 = if b then iota n else replicate (n + 1) 7

-- ==
-- entry: coerced
-- input { [1,2,3] 3i64 } output { 6 }
-- input { [1,2,3] 2i64 } error: cannot match shape of type.*\[2\]i32

entry coerced (xs: []i32) (n: i64) = i32.sum (xs :> [n]i32)

-- ==
-- entry: doubled
-- input { [1,2] } output { [1,1,2,2] }

entry doubled [n] (xs: [n]i32) : [n * 2]i32 = flatten (map (\x -> [x, x]) xs)
