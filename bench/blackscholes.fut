-- European calls and puts in closed form, one rate and one volatility, many spots, strikes and maturities.
--
-- Parallelism: one map. Compute-bound on CPUs (exp, log, sqrt), memory-bound on GPUs.
-- ==
-- "tiny" input { 0.05f32 0.2f32 [100f32, 60f32] [100f32, 65f32] [1f32, 0.25f32] }
-- output { [10.450584f32, 0.923565f32] [5.573526f32, 5.116122f32] }
-- "small" input @ data/blackscholes/small.in
-- output @ data/blackscholes/small.out

-- The normal distribution function by a polynomial of degree five (Abramowitz and Stegun 26.2.17).
def cnd (d: f32) : f32 =
  let k = 1 / (1 + 0.2316419 * f32.abs d)
  let poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  let tail = 0.39894228 * f32.exp (-0.5 * d * d) * poly
  in if d > 0 then 1 - tail else tail

def price (rate: f32) (vol: f32) (spot: f32) (strike: f32) (years: f32) : (f32, f32) =
  let root = f32.sqrt years
  let d1 = (f32.log (spot / strike) + (rate + 0.5 * vol * vol) * years) / (vol * root)
  let d2 = d1 - vol * root
  let (n1, n2) = (cnd d1, cnd d2)
  let paid = strike * f32.exp (-rate * years)
  in (spot * n1 - paid * n2, paid * (1 - n2) - spot * (1 - n1))

def main [n] (rate: f32) (vol: f32) (spots: [n]f32) (strikes: [n]f32) (years: [n]f32) : ([n]f32, [n]f32) =
  unzip (map3 (price rate vol) spots strikes years)
