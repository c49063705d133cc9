-- Maps of `while` loops, whose neighbours advance together on CPUs, against the same loops one after the other.

def close [n] 't (equal: t -> t -> bool) (xs: [n]t) (ys: [n]t) = and (map2 equal xs ys)

def escapes (limit: i32) (cr: f32) (ci: f32) : i32 =
  let (_, _, n) =
    loop (x, y, n) = (0f32, 0f32, 0i32)
    while n < limit && x * x + y * y < 4 do
      (x * x - y * y + cr, 2 * x * y + ci, n + 1)
  in n

-- ==
-- entry: mandelbrot
-- input { 0i64 0i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 5i64 31i64 } output { true }
-- input { 4i64 33i64 } output { true }
-- input { 7i64 100i64 } output { true }
entry mandelbrot (h: i64) (w: i64) =
  let point i j = (f32.i64 j * 3 / f32.i64 w - 2.2, f32.i64 i * 2.4 / f32.i64 h - 1.2)
  let by_map = tabulate_2d h w (\i j -> uncurry (escapes 80) (point i j))
  let by_loop =
    loop xss = replicate h (replicate w 0)
    for i < h do
      loop xss for j < w do xss with [i, j] = uncurry (escapes 80) (point i j)
  in close (==) (flatten by_map) (flatten by_loop)

-- Doubles, a count of another width, a branch, a boolean that is carried, and points that take much longer than their neighbours.
def wanders (steps: i64) (start: f64) : (f64, i32, bool) =
  let (x, n, up) =
    loop (x, n, up) = (start, 0i32, true)
    while i64.i32 n < steps && f64.abs x < 1000 do
      if up then (x * 1.125 + 0.5, n + 1, x < 50) else (x * 0.75 - 1, n + 1, x < 2)
  in (x, n, up)

-- ==
-- entry: walks
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 32i64 } output { true }
-- input { 63i64 } output { true }
-- input { 129i64 } output { true }
-- input { 1000i64 } output { true }
entry walks (n: i64) =
  let steps i = if i % 37 == 5 then 500 else i % 11
  let start i = f64.i64 (i % 90 - 45)
  let by_map = tabulate n (\i -> wanders (steps i) (start i))
  let by_loop =
    loop xs = replicate n (0, 0, false)
    for i < n do
      xs with [i] = wanders (steps i) (start i)
  in close (==) by_map by_loop
