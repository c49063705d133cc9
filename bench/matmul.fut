-- Matrix product, the way one writes it.
--
-- Parallelism: rows x columns x a reduction. On CPUs the loop order decides. On GPUs the outer two levels suffice
-- and tile well when the result is large; for degenerate shapes (a row times a matrix, a long inner product) the
-- reduction must run in parallel too: n x m x p of 2^k x 2^(25-2k) x 2^k sweeps from one case to the other.
-- ==
-- "tiny" input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] [[1f32, 0f32], [0.5f32, -1f32], [2f32, 2f32]] }
-- output { [[8f32, 4f32], [18.5f32, 7f32]] }
-- "empty" input { empty([0][3]f32) empty([3][0]f32) } output { empty([0][0]f32) }
-- "inner" input { empty([2][0]f32) empty([0][2]f32) } output { [[0f32, 0f32], [0f32, 0f32]] }
-- "small" input @ data/matmul/small.in
-- output @ data/matmul/small.out

def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = reduce (+) 0 (map2 (*) xs ys)

def main [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 =
  map (\row -> map (dot row) (transpose b)) a
