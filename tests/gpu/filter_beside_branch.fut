-- A filter in a nest whose elements are needed by a branch that is the same for all points.
-- ==
-- entry: main
-- input { [[1u8, 9u8, 3u8], [4u8, 2u8, 5u8]] 3u8 } output { [20u8, 7u8] }
-- input { empty([2][0]u8) 3u8 } output { [0u8, 0u8] }

entry main [n] [m] (xss: [m][n]u8) (least: u8) : [m]u8 =
  map (\xs ->
         let first = reduce (\a b -> if a == 0 then b else a) 0 (filter (> least) xs)
         let last = if n == 0 then 0 else last (scan (^) 0 xs)
         in first + last)
      xss
