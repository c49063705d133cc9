-- How many samples fall into each of k bins; samples outside are left out.
--
-- Parallelism: one reduce_by_index. Few bins mean contention, many bins mean scattered writes.
-- ==
-- "tiny" input { 3i64 [0, 2, 2, -1, 3, 2] } output { [1, 0, 3] }
-- "none" input { 2i64 empty([0]i32) } output { [0, 0] }
-- "small" input @ data/histogram/small.in
-- output @ data/histogram/small.out

def main [n] (k: i64) (bins: [n]i32) : [k]i32 =
  reduce_by_index (replicate k 0) (+) 0 (map i64.i32 bins) (replicate n 1)
