-- The product of two matrices. The sizes in the types say that the inner dimensions must agree:
-- calling this with matrices that do not fit is an error before anything runs.
-- ==
-- input { [[1, 2], [3, 4]] [[5, 6], [7, 8]] } output { [[19, 22], [43, 50]] }
-- input { [[1, 2, 3]] [[4], [5], [6]] } output { [[32]] }
-- input { [[1, 2, 3]] [[4], [5]] } error: .

def matmul [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a

entry main [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 =
  matmul a b
