-- Pricing of options by Monte-Carlo simulation: Sobol numbers, made normal, spread over the dates by a Brownian bridge,
-- correlated between the underlyings, turned into price paths, and paid off. Three contracts: a call on one asset; a
-- note on the worst of three assets that ends early when all have risen; a note on three assets that pays less when one
-- of them ever fell far.
--
-- Parallelism: paths x (dates x underlyings) x bits, a scan over dates for each path, and a reduction over paths. With
-- a million paths (small, medium) the outer level alone is best and everything else stays in registers; with few paths
-- and 367 dates (d2) the inner levels are needed too.
-- ==
-- "call" input { 1 3 [[4, 2, 1]] [[[1f32]]] [[[0.5f32]]] [[[0.1f32]]] [[4000f32]] [[1f32]] [[0.5f32]] [[1], [0], [0]] [[2f32], [0f32], [0f32]] }
-- output { [849.770447f32] }
-- "small1" input @ data/optionpricing/small1.in
-- output @ data/optionpricing/small1.out
-- "small2" input @ data/optionpricing/small2.in
-- output @ data/optionpricing/small2.out
-- "small3" input @ data/optionpricing/small3.in
-- output @ data/optionpricing/small3.out

type market [dates] [unders] [discounts] =
  { corr: [unders][unders]f32
  , vols: [dates][unders]f32
  , drifts: [dates][unders]f32
  , starts: [unders]f32
  , discounts: [discounts]f32
  }

-- Point number n of the sequence: the direction vectors that n's Gray code selects, combined.
def sobol [d] [bits] (dirs: [d][bits]i32) (n: i32) : [d]f32 =
  let gray = n ^ (n >> 1)
  let pick bit dir = if (gray >> i32.i64 bit) & 1 == 1 then dir else 0
  let unit = 1 / 2 ** f32.i64 bits
  in map (\vs -> unit * f32.i32 (reduce (^) 0 (map2 pick (iota bits) vs))) dirs

def ratio (p: [8]f32) (q: [8]f32) (x: f32) : f32 =
  let horner (cs: [8]f32) = loop s = cs[7] for i < 7 do s * x + cs[6 - i]
  in horner p / horner q

-- The inverse of the normal distribution function: Wichura's algorithm AS 241.
def quantile (p: f32) : f32 =
  let q = p - 0.5
  in if f32.abs q <= 0.425
     then q * ratio [3.3871329, 133.14167, 1971.5910, 13731.694, 45921.954, 67265.771, 33430.576, 2509.0809]
                    [1, 42.313331, 687.18701, 5394.1960, 21213.794, 39307.896, 28729.086, 5226.4953]
                    (0.180625 - q * q)
     else let r = f32.sqrt (-f32.log (if q < 0 then p else 1 - p))
          let x =
            if r <= 5
            then ratio [1.4234371, 4.6303378, 5.7694972, 3.6478483, 1.2704583, 0.24178073, 2.2723845e-2, 7.7454501e-4]
                       [1, 2.0531916, 1.6763848, 0.68976733, 0.14810398, 1.5198667e-2, 5.4759381e-4, 1.0507501e-9]
                       (r - 1.6)
            else ratio [6.6579046, 5.4637849, 1.7848265, 0.29656057, 2.6532190e-2, 1.2426609e-3, 2.7115556e-5, 2.0103344e-7]
                       [1, 0.59983221, 0.13692988, 1.4875361e-2, 7.8686913e-4, 1.8463183e-5, 1.4215118e-7, 2.0442631e-15]
                       (r - 5)
          in if q < 0 then -x else x

-- Normal numbers into the increments of a Brownian motion. Step t sets one date from two that are set already, so the
-- loop is sequential; indices count from one, and zero means the motion's start.
def bridge [dates] (index: [3][dates]i32) (weight: [3][dates]f32) (zs: [dates]f32) : [dates]f32 =
  let motion =
    loop motion = replicate dates 0 for t < dates do
      let at i = if i == 0 then 0 else motion[i - 1]
      let left = at (i64.i32 index[1, t])
      let right = at (i64.i32 index[2, t])
      in motion with [i64.i32 index[0, t] - 1] = weight[0, t] * zs[t] + weight[1, t] * left + weight[2, t] * right
  in tabulate dates (\t -> if t == 0 then motion[0] else motion[t] - motion[t - 1])

-- Prices at each date; the noise comes with underlyings outermost, as the bridge makes it.
def prices [dates] [unders] [k] (m: market [dates] [unders] [k]) (noise: [unders][dates]f32) : [dates][unders]f32 =
  let growth t u =
    let w = loop w = 0 for k < u + 1 do w + noise[k, t] * m.corr[u, k]
    in f32.exp (m.drifts[t, u] + m.vols[t, u] * w)
  let grown u = map (* m.starts[u]) (scan (*) 1 (tabulate dates (\t -> growth t u)))
  in transpose (tabulate unders grown)

-- How far the worst of three assets has come.
def worst [u] (ps: [u]f32) : f32 =
  f32.min (ps[0] / 3758.05) (f32.min (ps[1] / 11840) (ps[2] / 1200))

def payoff [dates] [unders] [k] (contract: i32) (m: market [dates] [unders] [k]) (path: [dates][unders]f32) : f32 =
  match contract
  case 1 -> f32.max 0 (path[0, 0] - 4000) * m.discounts[0]
  case 2 ->
    let risen = map (\ps -> worst ps >= 1) path
    let (date, amount) =
      if risen[0] then (0, 1150)
      else if risen[1] then (1, 1300)
      else if risen[2] then (2, 1450)
      else if risen[3] then (3, 1600)
      else if risen[4] then (4, 1750)
      else let end = worst path[4] in (4, if end > 0.75 then 1000 else 1000 * end)
    in amount * m.discounts[date]
  case _ ->
    let fell = any (\ps -> ps[0] <= 2630.635 || ps[1] <= 8288 || ps[2] <= 840) path
    let end = worst (last path)
    let amount = if fell && end < 1 then 1000 * end else 1000
    in 100 * m.discounts[0] + amount * m.discounts[1]

def main [points] [bits] [models] [unders] [dates] [dets] [k]
         (contract: i32) (paths: i32) (dirs: [points][bits]i32)
         (corr: [models][unders][unders]f32) (vols: [models][dates][unders]f32)
         (drifts: [models][dates][unders]f32) (starts: [models][unders]f32)
         (_detvals: [models][dets]f32) (discounts: [models][k]f32)
         (bb_index: [3][dates]i32) (bb_weight: [3][dates]f32) : [models]f32 =
  let markets =
    map5 (\corr vols drifts starts discounts -> {corr, vols, drifts, starts, discounts})
         corr vols drifts starts discounts
  let simulate (i: i32) : [models]f32 =
    let zs = map quantile (sobol dirs (i + 1)) :> [dates * unders]f32
    let noise = map (bridge bb_index bb_weight) (transpose (unflatten zs))
    in map (\m -> payoff contract m (prices m noise)) markets
  let sums = map (i32.i64 >-> simulate) (iota (i64.i32 paths)) |> reduce (map2 (+)) (replicate models 0)
  in map (/ f32.i32 paths) sums
