-- Five-point smoothing of a grid, many times over; a cell beyond the edge is the edge itself.
--
-- Parallelism: rows x columns inside a sequential loop. Memory-bound: two buffers and no copies is the aim.
-- ==
-- "tiny" input { 1 [[1f32, 2f32], [3f32, 4f32]] } output { [[1.6f32, 2.2f32], [2.8f32, 3.4f32]] }
-- "none" input { 0 [[1f32, 2f32]] } output { [[1f32, 2f32]] }
-- "row" input { 2 [[0f32, 5f32, 10f32]] } output { [[1.8f32, 5f32, 8.2f32]] }
-- "small" input @ data/stencil/small.in
-- output @ data/stencil/small.out

def smooth [n] [m] (grid: [n][m]f32) : [n][m]f32 =
  tabulate_2d n m (\i j ->
    let up = grid[i64.max 0 (i - 1), j]
    let down = grid[i64.min (n - 1) (i + 1), j]
    let left = grid[i, i64.max 0 (j - 1)]
    let right = grid[i, i64.min (m - 1) (j + 1)]
    in 0.2 * (grid[i, j] + up + down + left + right))

def main [n] [m] (steps: i32) (grid: [n][m]f32) : [n][m]f32 =
  iterate steps smooth grid
