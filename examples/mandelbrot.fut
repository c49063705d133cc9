-- The Mandelbrot set: how many steps each point of a grid takes to leave a circle of radius 2, `limit` if
-- it has not left by then. Every point is computed by itself, so this runs in parallel as it stands.
-- ==
-- input { 5i64 3i64 50 } output { [[0, 2, 3, 3, 1], [50, 50, 50, 50, 2], [0, 2, 3, 3, 1]] }
-- input { 400i64 300i64 100 }

type complex = {re: f64, im: f64}

def add (a: complex) (b: complex) : complex =
  {re = a.re + b.re, im = a.im + b.im}

def square (a: complex) : complex =
  {re = a.re * a.re - a.im * a.im, im = 2 * a.re * a.im}

def steps (limit: i32) (c: complex) : i32 =
  let (count, _) =
    loop (count, z) = (0, c)
    while count < limit && z.re * z.re + z.im * z.im <= 4 do
      (count + 1, add (square z) c)
  in count

entry main (width: i64) (height: i64) (limit: i32) : [height][width]i32 =
  let point y x =
    {re = -2 + 3 * f64.i64 x / f64.i64 (width - 1), im = -1 + 2 * f64.i64 y / f64.i64 (height - 1)}
  in tabulate_2d height width (\y x -> steps limit (point y x))
