-- Derivatives by forward mode of each construct, in one and in several directions, against central differences.
def near [n] (a: [n]f64) (b: [n]f64) : f64 =
  f64.maximum (map2 (\x y -> f64.abs (x - y) / f64.max 1 (f64.abs x + f64.abs y)) a b)

def right (f: [12]f64 -> [12]f64) : bool =
  let h = 1e-5
  let x = map (\i -> 0.5 + f64.i64 ((i * 37 + 11) %% 17) / 17) (iota 12)
  let v = map (\i -> f64.i64 ((i * 53 + 7) %% 13) / 13 - 0.3) (iota 12)
  let p = f (map2 (\a b -> a + h * b) x v)
  let q = f (map2 (\a b -> a - h * b) x v)
  let d = jvp f x v
  in near d (map2 (\a b -> (a - b) / (2 * h)) p q) < 1e-6 && near d (jmp f x [map (* 2) v, v])[1] < 1e-12

-- ==
-- entry: functions loops branches
-- input {} output { true }

entry functions : bool =
  right (map (\x -> f64.sin x * f64.exp x / (1 + x) + x ** 2.5 + 2 ** x + f64.log x - f64.sqrt x + f64.cbrt x))
  && right (map (\x -> f64.atan2 x 2 + f64.atan2 0.3 x + f64.hypot x 2 + f64.tan x + f64.asin (x / 3)))
  && right (map (\x -> f64.acos (x / 3) + f64.atan x + f64.sinh x + f64.cosh x + f64.tanh x + f64.asinh x))
  && right (map (\x -> f64.acosh (1 + x) + f64.atanh (x / 3) + f64.sinpi x + f64.cospi x + f64.tanpi (x / 5)))
  && right (map (\x -> f64.asinpi (x / 3) + f64.acospi (x / 3) + f64.atanpi x + f64.atan2pi x 0.7 + f64.rsqrt x))
  && right (map (\x -> f64.log1p x + f64.log2 x + f64.log10 x + f64.erf x + f64.erfc x + f64.fma x x 3))
  && right (map (\x -> f64.gamma x + f64.lgamma x + f64.gamma (x - 2.1) + f64.lerp x 3 (x * x) + (x * 7) % 2.3))

entry loops : bool =
  right (\xs -> loop ys = copy xs for i < 11 do ys with [i + 1] = ys[i] * xs[i + 1] + f64.sin ys[i + 1])
  && right (\xs -> loop ys = copy xs for i < 5 do loop ys for j < 11 do ys with [j] = ys[j + 1] * 0.5 + xs[i] * ys[j])
  && right (map (\x -> (loop (a, k) = (x, 0) while a < 10 do (a * a * 1.1 + x, k + 1)).0))
  && right (\xs -> let ys = loop ys = xs[0:1] for _i < 4 do ys ++ map (* 2) ys in map (\x -> x * f64.sum ys) xs)

entry branches : bool =
  right (map (\x -> if x > 1 then x * x else if x > 0.8 then f64.sqrt x else 3))

-- ==
-- entry: reductions scans histograms
-- input {} output { true }

entry reductions : bool =
  right (\xs ->
           let (a, b, c, d) =
             reduce (\(a, b, c, d) (e, f, g, h) -> (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h))
                    (1, 0, 0, 1)
                    (map (\x -> (x, 1, x * x, 0.5)) xs)
           in map (\x -> x * a + b - c * d) xs)
  && right (\xs -> replicate 12 (f64.sum xs * f64.sum (map (\x -> x * x) xs) + f64.maximum xs))
  && right (\xs ->
              let r = reduce (map2 (*)) (replicate 4 1) (unflatten (xs :> [3 * 4]f64))
              in (r ++ r ++ map (* 2) r) :> [12]f64)

entry scans : bool =
  right (\xs -> map (.1) (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\x -> (x, x * x)) xs)))
  && right (\xs -> let c = xs[0] in scan (\a b -> a + b + c * a * b) 0 xs)

entry histograms : bool =
  right (\xs -> reduce_by_index (map (* 2) xs) (*) 1 (map (\i -> (i * i) %% 14 - 1) (iota 12)) (map (\x -> x * x) xs))
  && right (\xs -> reduce_by_index (map (* 0.1) xs) f64.max f64.lowest (map (\i -> (i * i) %% 14 - 1) (iota 12)) xs)
  && right (\xs -> scatter (replicate 12 1) (map (\i -> i * 3 - 2) (iota 12)) (map (\x -> x * x) xs))

-- ==
-- entry: arrays calls accumulators
-- input {} output { true }

entry arrays : bool =
  right (\xs -> let ys = filter (> 1) xs in map (\x -> x * f64.sum (map (\y -> y * y) ys) + ys[0]) xs)
  && right (\xs ->
              let b = flatten (transpose (unflatten (xs :> [3 * 4]f64))) :> [12]f64
              in (rotate 5 b)[11:3:-2] ++ b[0:8] :> [12]f64)
  && right (\xs ->
              let ys = copy xs
              let ys[2:6] = map (* 2) xs[4:8]
              let ys[7] = xs[0] * xs[1]
              in map2 (*) ys (rotate 3 ys))
  && right (\xs -> (map f64.sin xs[0:4] ++ replicate 4 xs[3] ++ [xs[1], 2, xs[2] * xs[2], 1]) :> [12]f64)
  && right (\xs ->
              let ys = intrinsics.flat_index_2d xs 1 3 3 2 2
              in (flatten (map (map (\y -> y * y)) ys) ++ xs[0:6]) :> [12]f64)
  && right (\xs -> intrinsics.flat_update_2d (copy xs) 1 6 2 [[xs[0] * xs[1], xs[2], 1], [1, xs[3], xs[4] ** 2]])

#[noinline]
def power [n] (xs: [n]f64) (k: i64) (y: f64) : f64 = if k == 0 then y else power xs (k - 1) (y * xs[k] + 1)

#[noinline]
def both [n] (xs: *[n]f64) (a: f64) (k: i64) : (f64, *[n]f64) = (a * 2 + f64.i64 k, xs with [0] = xs[1] * 3 + a)

type shape = #circle f64 | #rectangle f64 f64 | #none

def area (s: shape) : f64 =
  match s
  case #circle r -> 3 * r * r
  case #rectangle a b -> a * b
  case #none -> 0

entry calls : bool =
  right (\xs -> map (power xs 5) xs)
  && right (\xs ->
              let (a, ys) = both (copy xs) 2 3
              let (b, zs) = both (map (* a) ys) xs[4] 3
              in map (* b) zs)
  && right (map (\x -> area (if x > 1 then #circle x else if x > 0.8 then #rectangle x (x * x) else #none)))
  && right (\xs -> loop xs for _i < 2 do map2 (+) xs (jvp (\ys -> map (\y -> y * y * f64.sum ys) ys) xs (map f64.sin xs)))

def stream [k] (dest: *[k]f64) (op: f64 -> f64 -> f64) (ne: f64) (n: i64) (xs: [k]f64) : *[k]f64 =
  intrinsics.hist_stream dest
                         op
                         ne
                         (\(acc: *intrinsics.acc ([k]f64)) (i, x) ->
                            loop acc for j < n do intrinsics.acc_write acc (i * 5 %% 13 + j) (x * xs[j]))
                         (zip (iota k) xs) :> *[k]f64

entry accumulators : bool =
  right (\xs -> stream (map (* 2) xs) (+) 0 3 xs) && right (\xs -> stream (replicate 12 1) (*) 1 2 xs)
