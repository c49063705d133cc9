-- Calibration of a local volatility model: for each strike, a partial differential equation in price and volatility is
-- solved backwards in time by Crank-Nicolson with alternating directions, which leads to tridiagonal systems along both
-- axes in every time step. Strike number i is 0.001 i.
--
-- Parallelism: strikes x (x or y) x the scans within a solver, in a sequential loop over time, with several maps over
-- the grid in between. With 256 x 256 x 256 points (large) the solvers may run sequentially, one for each thread; with
-- few strikes and short axes (small, medium) the scans of a solver should run in parallel within a thread block.
-- ==
-- "flat" input { 2 8 8 3 0.03f32 5f32 0.2f32 0.6f32 0.5f32 } output { [0.03f32, 0.029f32] }
-- "small" input @ data/locvolcalib/small.in
-- output @ data/locvolcalib/small.out

open import "lib/tridiagonal"

type grid [nx] [ny] = {xs: [nx]f32, ys: [ny]f32, xi: i64, yi: i64}

def make_grid (nx: i64) (ny: i64) (s0: f32) (t: f32) (alpha: f32) (nu: f32) : grid [nx] [ny] =
  let dx = 20 * alpha * s0 * f32.sqrt t / f32.i64 nx
  let dy = 10 * nu * f32.sqrt t / f32.i64 ny
  let xi = i64.f32 (s0 / dx)
  let yi = ny / 2
  in { xs = tabulate nx (\i -> f32.i64 (i - xi) * dx + s0)
     , ys = tabulate ny (\j -> f32.i64 (j - yi) * dy + f32.log alpha)
     , xi, yi }

-- Weights of the second derivative; the first and the last point have none.
def second [n] (xs: [n]f32) : [n](f32, f32, f32) =
  tabulate n (\i ->
    if i == 0 || i == n - 1 then (0, 0, 0)
    else let (l, u) = (xs[i] - xs[i - 1], xs[i + 1] - xs[i])
         in (2 / l / (l + u), -2 * (1 / l + 1 / u) / (l + u), 2 / u / (l + u)))

-- The second derivative of a line, times its coefficients.
def derive [n] (weights: [n](f32, f32, f32)) (line: [n]f32) : [n]f32 =
  let at i = if i < 0 || i >= n then 0 else line[i]
  in map2 (\i (l, m, u) -> l * at (i - 1) + m * at i + u * at (i + 1)) (iota n) weights

-- Solve (inv - k D) x = line for the operator D of the weights.
def implicit [n] (inv: f32) (weights: [n](f32, f32, f32)) (ks: [n]f32) (line: [n]f32) : [n]f32 =
  let a = map2 (\k (l, _, _) -> -k * l) ks weights
  let b = map2 (\k (_, m, _) -> inv - k * m) ks weights
  let c = map2 (\k (_, _, u) -> -k * u) ks weights
  in three_scans a b c line

def value (nx: i64) (ny: i64) (nt: i64) (s0: f32) (t: f32) (alpha: f32) (nu: f32) (beta: f32) (strike: f32) : f32 =
  let {xs, ys, xi, yi} = make_grid nx ny s0 t alpha nu
  let (wx, wy) = (second xs, second ys)
  let time i = t * f32.i64 i / f32.i64 (nt - 1)
  let end = map (\x -> replicate ny (f32.max (x - strike) 0)) xs
  let result =
    loop r = end for i < nt - 1 do
      let now = time (nt - 2 - i)
      let inv = 1 / (time (nt - 1 - i) - now)
      let quarter_var y x = 0.25 * f32.exp (2 * (beta * f32.log x + y - 0.5 * nu * nu * now))
      let kx : [ny][nx]f32 = map (\y -> map (quarter_var y) xs) ys
      let ky : [ny]f32 = replicate ny (0.25 * nu * nu)
      -- Explicit in both directions, then implicit in one after the other.
      let dx : [ny][nx]f32 = map (derive wx) (transpose r)
      let v : [nx][ny]f32 = map (derive wy >-> map (* (0.5 * nu * nu))) r
      let u = map4 (map4 (\r k d v -> inv * r + k * d + v)) (transpose r) kx dx (transpose v)
      let u' = map2 (implicit inv wx) kx u
      let y = map2 (map2 (\u v -> inv * u - 0.5 * v)) (transpose u') v
      in map (implicit inv wy ky) y
  in result[xi, yi]

def main (outer: i32) (nx: i32) (ny: i32) (nt: i32)
         (s0: f32) (t: f32) (alpha: f32) (nu: f32) (beta: f32) : []f32 =
  let strikes = tabulate (i64.i32 outer) (\i -> 0.001 * f32.i64 i)
  in map (value (i64.i32 nx) (i64.i32 ny) (i64.i32 nt) s0 t alpha nu beta) strikes
