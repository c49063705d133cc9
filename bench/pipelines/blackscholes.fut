-- Prices of calls and puts, formula by formula and all at once.
-- ==
-- entry: composed fused
-- "large" random input { [400000]f32 [400000]f32 [400000]f32 }

def rate = 0.03f32
def volatility = 0.3f32

def normal (x: f32) : f32 =
  let k = 1 / (1 + 0.2316419 * f32.abs x)
  let tail =
    f32.exp (-0.5 * x * x) * 0.3989423 * k
    * (0.3193815 + k * (-0.3565638 + k * (1.781478 + k * (-1.821256 + k * 1.330274))))
  in if x < 0 then tail else 1 - tail

entry composed [n] (spots: [n]f32) (strikes: [n]f32) (years: [n]f32) : ([n]f32, [n]f32) =
  let spots = map (\x -> 10 + 90 * x) spots
  let strikes = map (\x -> 10 + 90 * x) strikes
  let years = map (\x -> 0.1 + 5 * x) years
  let spread = map (\t -> volatility * f32.sqrt t) years
  let drift = map (\t -> (rate + 0.5 * volatility * volatility) * t) years
  let d1 = map4 (\s x d v -> (f32.log (s / x) + d) / v) spots strikes drift spread
  let d2 = map2 (-) d1 spread
  let discount = map (\t -> f32.exp (-rate * t)) years
  let owed = map2 (*) strikes discount
  let calls = map4 (\s o a b -> s * normal a - o * normal b) spots owed d1 d2
  let puts = map3 (\c o s -> c + o - s) calls owed spots
  in (calls, puts)

entry fused [n] (spots: [n]f32) (strikes: [n]f32) (years: [n]f32) : ([n]f32, [n]f32) =
  unzip (map3 (\spot strike year ->
                 let s = 10 + 90 * spot
                 let x = 10 + 90 * strike
                 let t = 0.1 + 5 * year
                 let v = volatility * f32.sqrt t
                 let d1 = (f32.log (s / x) + (rate + 0.5 * volatility * volatility) * t) / v
                 let d2 = d1 - v
                 let owed = x * f32.exp (-rate * t)
                 let call = s * normal d1 - owed * normal d2
                 in (call, call + owed - s))
              spots strikes years)
