def main (n: i64) =
  let grid = iota n
  let same = grid
  let grid[0] = 5
  in same[1]
