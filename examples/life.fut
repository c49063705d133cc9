-- Conway's game of life on a torus: a stencil in a loop.
-- ==
-- entry: generations
-- input { 1 [[0, 0, 0, 0, 0],
--            [0, 0, 1, 0, 0],
--            [0, 0, 1, 0, 0],
--            [0, 0, 1, 0, 0],
--            [0, 0, 0, 0, 0]] }
-- output { [[0, 0, 0, 0, 0],
--           [0, 0, 0, 0, 0],
--           [0, 1, 1, 1, 0],
--           [0, 0, 0, 0, 0],
--           [0, 0, 0, 0, 0]] }

-- ==
-- entry: population
-- script input { (100, checkers 64i64 48i64) } output { 0i64 }

def neighbours [n] [m] (world: [n][m]i32) (y: i64) (x: i64) : i32 =
  let cell dy dx = world[(y + dy) % n, (x + dx) % m]
  in cell (-1) (-1) + cell (-1) 0 + cell (-1) 1
     + cell 0 (-1) + cell 0 1
     + cell 1 (-1) + cell 1 0 + cell 1 1

def step [n] [m] (world: [n][m]i32) : [n][m]i32 =
  let alive y x =
    match neighbours world y x
    case 2 -> world[y, x]
    case 3 -> 1
    case _ -> 0
  in tabulate_2d n m alive

-- The world after so many steps.
entry generations [n] [m] (count: i32) (world: [n][m]i32) : [n][m]i32 =
  loop world for _i < count do step world

-- How many cells are alive then.
entry population [n] [m] (count: i32) (world: [n][m]i32) : i64 =
  i64.sum (map i64.i32 (flatten (generations count world)))

-- A chessboard of cells, each of which has four neighbours and dies.
entry checkers (n: i64) (m: i64) : [n][m]i32 =
  tabulate_2d n m (\y x -> i32.i64 ((y + x) % 2))
