-- Rows that are turned twice are where they were: their sizes have other names, and nothing is to be copied.
-- ==
-- input { 2i64 3i64 }
-- output { [[[1i32, 0i32, 0i32], [0i32, 0i32, 0i32]], [[0i32, 1i32, 0i32], [0i32, 0i32, 0i32]]] }

entry main (n: i64) (m: i64) =
  let units = tabulate 2 (\i -> replicate (n * m) 0i32 with [i] = 1)
  in transpose (map transpose (unflatten (transpose units)))
