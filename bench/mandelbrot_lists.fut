-- Escape times of the Mandelbrot iteration over a rectangle of the plane, row by row: each row keeps a list of the points that
-- have not escaped, which becomes shorter and shorter.
--
-- Parallelism: a map over rows, each a while loop around maps and filters of a list whose size depends on what is computed.
-- ==
-- "tiny" input { 4i64 3i64 10 -2f32 -1f32 1f32 1f32 } output { [[0, 2, 3, 3], [0, 10, 10, 10], [0, 10, 10, 10]] }
-- "none" input { 4i64 0i64 10 -2f32 -1f32 1f32 1f32 } output { empty([0][4]i32) }
-- "small" input @ data/mandelbrot_lists/small.in
-- output @ data/mandelbrot_lists/small.out

type complex = (f32, f32)

def square (a, b) : complex = (a * a - b * b, 2 * a * b)
def plus (a, b) (c, d) : complex = (a + c, b + d)
def norm2 (a: f32, b: f32) : f32 = a * a + b * b

def row [width] (limit: i32) (points: [width]complex) : [width]i32 =
  let alive = filter (\(_, z) -> norm2 z <= 4) (zip (iota width) points)
  let (counts, _, _) =
    loop (counts, alive, n) = (replicate width 0, alive, 0)
    while n < limit && not (null alive) do
      let moved = map (\(j, z) -> (j, plus (square z) points[j])) alive
      let counts = scatter counts (map (.0) alive) (map (const (n + 1)) alive)
      in (counts, filter (\(_, z) -> norm2 z <= 4) moved, n + 1)
  in counts

def main (width: i64) (height: i64) (limit: i32) (x0: f32) (y0: f32) (x1: f32) (y1: f32) : [height][width]i32 =
  let at lo hi i n = lo + f32.i64 i * (hi - lo) / f32.i64 n
  in tabulate height (\i -> row limit (tabulate width (\j -> (at x0 x1 j width, at y0 y1 i height))))
