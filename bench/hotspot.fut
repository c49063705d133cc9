-- Heat on a chip: the temperature of each cell moves with its power, its four neighbours (itself, where there is none)
-- and the air, step after step.
--
-- main makes corners, edges and interior separately, with no test in the interior, and puts them together by
-- concatenation; that is free once each part is computed where it belongs. plain clamps indices everywhere.
--
-- Parallelism: rows x columns in a sequential loop. Memory-bound. With the parts in place main should win slightly on
-- all sizes; with copies it takes twice as long as plain.
-- ==
-- entry: main plain
-- "square" input { 1 [[330f32, 330f32], [330f32, 330f32]] [[0f32, 0f32], [0f32, 0f32]] }
-- output { [[329.98333f32, 329.98333f32], [329.98333f32, 329.98333f32]] }
-- "small" input @ data/hotspot/small.in
-- output @ data/hotspot/small.out

type chip = {step: f32, rx: f32, ry: f32, rz: f32}

-- Silicon half a millimetre thick, a square of 16 mm; the step is as large as the precision asked for allows.
def chip (rows: i64) (cols: i64) : chip =
  let (thick, side) = (0.0005, 0.016)
  let (heat, conduct, factor) = (1.75e6, 100, 0.5)
  let (max_power, precision) = (3e6, 0.001)
  let (h, w) = (side / f32.i64 rows, side / f32.i64 cols)
  let capacity = factor * heat * thick * w * h
  let max_slope = max_power / (factor * thick * heat)
  in { step = precision / max_slope / capacity
     , rx = w / (2 * conduct * thick * h)
     , ry = h / (2 * conduct * thick * w)
     , rz = thick / (conduct * h * w) }

def air : f32 = 80

def change (c: chip) (power: f32) (at: f32) (up: f32) (down: f32) (left: f32) (right: f32) : f32 =
  at + c.step * (power + (up + down - 2 * at) / c.ry + (left + right - 2 * at) / c.rx + (air - at) / c.rz)

def by_parts [n] [m] (c: chip) (power: [n][m]f32) (t: [n][m]f32) : [n][m]f32 =
  -- A cell with the indices of its neighbours, which are its own at an edge.
  let cell i j up down left right = change c power[i, j] t[i, j] t[up, j] t[down, j] t[i, left] t[i, right]
  let row i up down =
    [cell i 0 up down 0 1]
    ++ tabulate (m - 2) (\j -> cell i (j + 1) up down j (j + 2))
    ++ [cell i (m - 1) up down (m - 2) (m - 1)]
  let left = tabulate (n - 2) (\i -> cell (i + 1) 0 i (i + 2) 0 1)
  let right = tabulate (n - 2) (\i -> cell (i + 1) (m - 1) i (i + 2) (m - 2) (m - 1))
  let inside =
    tabulate_2d (n - 2) (m - 2) (\i j -> cell (i + 1) (j + 1) i (i + 2) j (j + 2))
  let middle = transpose ([left] ++ transpose inside ++ [right]) :> [n - 2][m]f32
  let top = row 0 0 1 :> [m]f32
  let bottom = row (n - 1) (n - 2) (n - 1) :> [m]f32
  in ([top] ++ middle ++ [bottom]) :> [n][m]f32

def clamped [n] [m] (c: chip) (power: [n][m]f32) (t: [n][m]f32) : [n][m]f32 =
  tabulate_2d n m (\i j ->
    change c power[i, j] t[i, j]
           t[i64.max 0 (i - 1), j] t[i64.min (n - 1) (i + 1), j]
           t[i, i64.max 0 (j - 1)] t[i, i64.min (m - 1) (j + 1)])

-- Needs two rows and two columns at least.
entry main [n] [m] (steps: i32) (temperature: [n][m]f32) (power: [n][m]f32) : [n][m]f32 =
  let c = assert (n >= 2 && m >= 2) (chip n m)
  in iterate steps (by_parts c power) temperature

entry plain [n] [m] (steps: i32) (temperature: [n][m]f32) (power: [n][m]f32) : [n][m]f32 =
  iterate steps (clamped (chip n m) power) temperature
