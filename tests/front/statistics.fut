-- | Means and deviations, with sizes that must agree.

def mean [n] (xs: [n]f64) : f64 =
  f64.sum xs / f64.i64 n

def variance [n] (xs: [n]f64) : f64 =
  let m = mean xs
  let deltas = map (\x -> (x - m) ** 2) xs
  in f64.sum deltas / f64.i64 n

def covariance [n] (xs: [n]f64) (ys: [n]f64) : f64 =
  let mx = mean xs
  let my = mean ys
  in mean (map2 (\x y -> (x - mx) * (y - my)) xs ys)

def histogram [n] (k: i64) (xs: [n]i64) : [k]i32 =
  reduce_by_index (replicate k 0) (+) 0 (map (% k) xs) (replicate n 1)

-- | The largest element and where it stands.
def argmax [n] (xs: [n]f64) : (i64, f64) =
  let better (i, x) (j, y) = if x < y then (j, y) else (i, x)
  in reduce_comm better (-1, -f64.inf) (zip (iota n) xs)

entry main [n] (xs: [n]f64) (ys: [n]f64) =
  let positive = filter (> 0) xs
  let (_, top) = argmax xs
  in (variance xs, covariance xs ys, length positive, top)
