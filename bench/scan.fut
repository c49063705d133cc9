-- Inclusive prefix sum of integers.
--
-- Parallelism: one scan. Memory-bound: one read and one write for each element is the limit.
-- ==
-- "tiny" input { [1, 2, -3, 10] } output { [1, 3, 0, 10] }
-- "empty" input { empty([0]i32) } output { empty([0]i32) }
-- "wraps" input { [2147483647, 1, 1] } output { [2147483647, -2147483648, -2147483647] }
-- "small" input @ data/scan/small.in
-- output @ data/scan/small.out

def main [n] (xs: [n]i32) : [n]i32 = scan (+) 0 xs
