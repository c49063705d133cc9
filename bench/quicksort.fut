-- For rows of numbers, the sum of each number times its place in the sorted row: quicksort as in textbooks.
--
-- Parallelism: recursion in a map, on arrays whose sizes differ: all calls of one depth are done together.
-- ==
-- "tiny" input { [3i64, 0i64, 4i64] [5, 1, 3, 2, 2, 9, 2] } output { [13i64, 0i64, 33i64] }
-- "none" input { empty([0]i64) empty([0]i32) } output { empty([0]i64) }
-- "small" input @ data/quicksort/small.in
-- output @ data/quicksort/small.out

def placed [n] (before: i64) (xs: [n]i32) : i64 =
  if n == 0
  then 0
  else let pivot = xs[n / 2]
       let less = filter (< pivot) xs
       let more = filter (> pivot) xs
       let (first, end) = (before + length less, before + n - length more)
       let own = i64.i32 pivot * ((end - first) * (first + end - 1) / 2)
       in own + i64.sum (map (\side -> if side == 0 then placed before less else placed end more) (iota 2))

def main [rows] [elements] (sizes: [rows]i64) (values: [elements]i32) : [rows]i64 =
  let ends = scan (+) 0 sizes
  in map2 (\size end -> placed 0 values[end - size:end]) sizes ends
