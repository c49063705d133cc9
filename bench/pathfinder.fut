-- The cheapest way down a grid, one row at a time to the cell below or one beside it; a batch of grids. The result is
-- the cost of reaching each cell of the last row.
--
-- Parallelism: batches x columns in a sequential loop over rows. One grid of 10^5 columns (d1) needs a kernel for each
-- row; 391 grids of 256 columns (d2) fit a thread block each, with the loop inside.
-- ==
-- "tiny" input { [[[1, 9, 9], [9, 1, 9], [9, 9, 1]]] } output { [[11, 11, 3]] }
-- "small" input @ data/pathfinder/small.in
-- output @ data/pathfinder/small.out

def descend [m] (costs: [m]i32) (row: [m]i32) : [m]i32 =
  tabulate m (\j ->
    let left = costs[i64.max 0 (j - 1)]
    let right = costs[i64.min (m - 1) (j + 1)]
    in row[j] + i32.min costs[j] (i32.min left right))

def cheapest [n] [m] (grid: [n][m]i32) : [m]i32 =
  loop costs = replicate m 0 for row in grid do descend costs row

def main [b] [n] [m] (grids: [b][n][m]i32) : [b][m]i32 = map cheapest grids
