-- The product of a sparse matrix and a vector. The matrix is given by the number of elements of each row, and by the column
-- and value of all elements, row by row.
--
-- Parallelism: a map over rows of different sizes, each a sum of products: an irregular nest.
-- ==
-- "tiny" input { [2i64, 0i64, 3i64] [0, 2, 1, 0, 2] [1f32, 2f32, 3f32, 4f32, 5f32] [1f32, 10f32, 100f32] }
-- output { [201f32, 0f32, 534f32] }
-- "none" input { empty([0]i64) empty([0]i32) empty([0]f32) [1f32] } output { empty([0]f32) }
-- "small" input @ data/spmv/small.in
-- output @ data/spmv/small.out

def main [rows] [elements] [columns] (sizes: [rows]i64) (column: [elements]i32) (value: [elements]f32) (x: [columns]f32) : [rows]f32 =
  let ends = scan (+) 0 sizes
  in map2 (\size end ->
             let row = (end - size)..<end
             in f32.sum (map (\i -> value[i] * x[i64.i32 column[i]]) row))
          sizes ends
