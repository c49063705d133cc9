-- Ten tasks that people write in Python for GPUs, one entry point each. `python.py` times them beside CuPy,
-- PyTorch and JAX on the same data, which both sides make by the same formula.

module blackscholes = import "../blackscholes"
module kmeans = import "../kmeans"
module mandelbrot = import "../mandelbrot"
module nbody = import "../nbody"
module stencil = import "../stencil"
module tridiagonal = import "../lib/tridiagonal"

-- Numbers from 0 to 1 without order.
def number (seed: i64) (i: i64) : f32 =
  f32.u32 ((u32.i64 (i + seed) * 2654435761) >> 8) / 16777216

entry numbers (seed: i64) (n: i64) : [n]f32 = tabulate n (number seed)
entry grid (seed: i64) (n: i64) (m: i64) : [n][m]f32 = tabulate_2d n m (\i j -> number seed (i * m + j))

entry total [n] (xs: [n]f32) : f32 = f32.sum xs
entry prefixes [n] (xs: [n]f32) : [n]f32 = scan (+) 0 xs
entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

entry options [n] (spots: [n]f32) (strikes: [n]f32) (years: [n]f32) : [n]f32 =
  let one s k y = blackscholes.price 0.05 0.2 (50 + 50 * s) (50 + 50 * k) (0.5 + y)
  in map3 (\s k y -> (one s k y).0) spots strikes years

entry bodies [n] (xs: [n]f32) (ys: [n]f32) (zs: [n]f32) (masses: [n]f32) : [n]f32 =
  let zeros = replicate n 0
  in (nbody.main 1 0.01 xs ys zs masses zeros zeros zeros).0

entry smoothed [n] [m] (xss: [n][m]f32) : [n][m]f32 = stencil.main 100 xss

entry escapes (n: i64) : [n][n]i32 = mandelbrot.main n n 255 (-2) (-1.5) 1 1.5

entry softmax [n] [m] (xss: [n][m]f32) : [n][m]f32 =
  map (\xs ->
         let most = f32.maximum xs
         let es = map (\x -> f32.exp (x - most)) xs
         let sum = f32.sum es
         in map (/ sum) es)
      xss

entry clusters [n] (points: [n][3]f32) : [64][3]f32 = kmeans.step points (take 64 points)

entry systems [n] [m] (a: [n][m]f32) (c: [n][m]f32) (d: [n][m]f32) : [n][m]f32 =
  map3 (\a c d -> tridiagonal.thomas a (replicate m 3) c d) a c d
