-- Calibration of Heston's stochastic volatility model to quoted option prices: a population of parameter sets is priced
-- against all quotes, the best one is found, the others move half of the way towards it, and so on for some generations.
-- A price is an integral over the model's characteristic function. Spot 1, no interest.
--
-- Parallelism: parameter sets x a reduction over quotes (with a heavy map fused in) x a reduction over the points of the
-- integral. With few sets the outer level alone starves a GPU: the reduction over quotes must be parallel, and whether
-- the innermost one should be depends on the machine and on the number of quotes (1062 in d1, 10000 in d2).
--
-- A parameter set is: variance at the start, variance in the long run, speed of return, volatility of the variance,
-- correlation of price and variance.
-- ==
-- "black" input { 0 200i64 [[0.04f64, 0.04f64, 1f64, 0.001f64, 0f64]] [1f64] [1f64] [0f64] }
-- output { 0.006345f64 [0.04f64, 0.04f64, 1f64, 0.001f64, 0f64] }
-- "small" input @ data/heston/small.in
-- output @ data/heston/small.out

open import "lib/complex"

-- The characteristic function of the logarithm of the price after some years.
def characteristic (params: [5]f64) (years: f64) (u: complex) : complex =
  let (start, long, speed, vol, rho) = (params[0], params[1], params[2], params[3], params[4])
  let iu = c_mul (0, 1) u
  let back = c_sub (real speed) (c_scale (rho * vol) iu)
  let d = c_sqrt (c_add (c_mul back back) (c_scale (vol * vol) (c_add iu (c_mul u u))))
  let minus = c_sub back d
  let g = c_div minus (c_add back d)
  let decay = c_exp (c_scale (-years) d)
  let rest = c_sub (real 1) (c_mul g decay)
  let level = c_sub (c_scale years minus) (c_scale 2 (c_log (c_div rest (c_sub (real 1) g))))
  let slope = c_mul minus (c_div (c_sub (real 1) decay) rest)
  in c_exp (c_scale (1 / (vol * vol)) (c_add (c_scale (speed * long) level) (c_scale start slope)))

-- A call by Lewis' integral, with the midpoint rule up to 100.
def call (points: i64) (params: [5]f64) (strike: f64) (years: f64) : f64 =
  let width = 100 / f64.i64 points
  let moneyness = -f64.log strike
  let term j =
    let u = (f64.i64 j + 0.5) * width
    let (re, _) = c_mul (c_exp (0, u * moneyness)) (characteristic params years (u, -0.5))
    in re / (u * u + 0.25)
  in 1 - f64.sqrt strike / f64.pi * width * reduce (+) 0 (map term (iota points))

def misfit [q] (points: i64) (strikes: [q]f64) (years: [q]f64) (prices: [q]f64) (params: [5]f64) : f64 =
  let error strike t price = (call points params strike t - price) ** 2
  in reduce (+) 0 (map3 error strikes years prices) / f64.i64 q

def main [p] [q] (generations: i32) (points: i64) (population: [p][5]f64)
                 (strikes: [q]f64) (years: [q]f64) (prices: [q]f64) : (f64, [5]f64) =
  let better (e1, i1) (e2, i2) = if e1 < e2 || (e1 == e2 && i1 < i2) then (e1, i1) else (e2, i2)
  let best population =
    let errors = map (misfit points strikes years prices) population
    let (error, i) = reduce_comm better (f64.inf, 0) (zip errors (indices errors))
    in (error, population[i])
  let generation population =
    let (_, b) = best population
    in map (map2 (\b x -> 0.5 * (b + x)) b) population
  in best (iterate generations generation population)
