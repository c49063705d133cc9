-- Escape times of the Mandelbrot iteration over a rectangle of the plane.
--
-- Parallelism: rows x columns of a sequential while loop whose length varies: neighbours diverge, and on CPUs a fixed
-- split of the rows is unfair. Compute-bound, no memory traffic but the result.
-- ==
-- "tiny" input { 4i64 3i64 10 -2f32 -1f32 1f32 1f32 } output { [[0, 2, 3, 3], [0, 10, 10, 10], [0, 10, 10, 10]] }
-- "small" input @ data/mandelbrot/small.in
-- output @ data/mandelbrot/small.out

type complex = (f32, f32)

def square (a, b) : complex = (a * a - b * b, 2 * a * b)
def plus (a, b) (c, d) : complex = (a + c, b + d)
def norm2 (a: f32, b: f32) : f32 = a * a + b * b

def escape (limit: i32) (c: complex) : i32 =
  let (_, n) =
    loop (z, n) = (c, 0) while n < limit && norm2 z <= 4 do
      (plus (square z) c, n + 1)
  in n

def main (width: i64) (height: i64) (limit: i32) (x0: f32) (y0: f32) (x1: f32) (y1: f32) : [height][width]i32 =
  let at lo hi i n = lo + f32.i64 i * (hi - lo) / f32.i64 n
  in tabulate_2d height width (\i j -> escape limit (at x0 x1 j width, at y0 y1 i height))
