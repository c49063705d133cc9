-- Sorts each row of an array whose rows differ in size: each element counts those before it.
--
-- Parallelism: a map over rows, a map over the elements of a row, and a count over the same elements: two irregular levels, and a
-- scatter of what the map computes.
-- ==
-- "tiny" input { [3i64, 0i64, 4i64] [5, 1, 3, 2, 2, 9, 2] } output { [1, 3, 5, 2, 2, 2, 9] }
-- "none" input { empty([0]i64) empty([0]i32) } output { empty([0]i32) }
-- "small" input @ data/segsort/small.in
-- output @ data/segsort/small.out

def main [rows] [elements] (sizes: [rows]i64) (values: [elements]i32) : [elements]i32 =
  let ends = scan (+) 0 sizes
  let heads = scatter (replicate elements 0) (map2 (\size end -> if size == 0 then -1 else end - size) sizes ends) (iota rows)
  let row = scan i64.max 0 heads
  let place =
    map3 (\i r x ->
            let start = ends[r] - sizes[r]
            in start + i64.sum (map (\j -> i64.bool (values[j] < x || (values[j] == x && j < i))) (start..<ends[r])))
         (iota elements) row values
  in scatter (replicate elements 0) place values
