-- A matrix spread over a third dimension by factors, with a bias that is stored the other way round. Made to show the
-- choice of array layouts: with the last index across threads the bias is read with large strides; it can be transposed,
-- or another index can run across threads and the (smaller) matrix be transposed instead.
--
-- Parallelism: three levels of map, one kernel. Memory-bound.
-- ==
-- "tiny" input { [[1, 2]] [10, 100] [[[1], [2]], [[3], [4]]] } output { [[[11, 103]], [[22, 204]]] }
-- "small" input @ data/bias/small.in
-- output @ data/bias/small.out

def main [n] [m] [k] (xs: [n][m]i32) (factors: [k]i32) (bias: [k][m][n]i32) : [m][n][k]i32 =
  tabulate_3d m n k (\i j l -> xs[j, i] * factors[l] + bias[l, i, j])
