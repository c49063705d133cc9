-- For each number, the sum of a function of all smaller ones.
--
-- Parallelism: a map over points of different sizes, nothing read from memory: how well an irregular nest is balanced.
-- ==
-- "tiny" input { [4i64, 0i64, 1i64, 8i64] } output { [7i64, 0i64, 0i64, 14i64] }
-- "none" input { empty([0]i64) } output { empty([0]i64) }
-- "small" input @ data/skewed/small.in
-- output @ data/skewed/small.out

def main (sizes: []i64) : []i64 =
  map (\n -> i64.sum (map (\i -> i * i % 7) (iota n))) sizes
