-- Derivatives of histograms with operators that have no rule of their own: closed forms, both modes, second derivatives.
def close (a: f64) (b: f64) = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a)
def f [n] [k] (is: [n]i64) (d: [k]f64, xs: [n]f64, c: f64) = reduce_by_index (copy d) (\a b -> a + b + c * a * b) 0 is xs

def g [n] [k] (is: [n]i64) (d: [k]f64, e: [k]f64, xs: [n]f64, ys: [n]f64) =
  unzip (reduce_by_index (zip d e) (\(a, b) (x, y) -> (a * x, b * x + y)) (1, 0) is (zip xs ys))

-- ==
-- entry: first second third
-- input { [1i64, 0i64, 2i64, 1i64, 9i64, -1i64, 2i64, 1i64] [0.5, 1.25, 2.0, 3.0, 1.0, 4.0, 0.25, 1.5] 4i64 }
-- output { true }
-- input { empty([0]i64) empty([0]f64) 3i64 }
-- output { true }
-- input { [0i64] [2.0] 1i64 }
-- output { true }
entry first [n] (is: [n]i64) (xs: [n]f64) (k: i64) =
  let d = tabulate k (\i -> 1 + 0.1 * f64.i64 i)
  let s = tabulate k (\i -> 1 - 0.3 * f64.i64 i)
  let (d', xs', c') = vjp (f is) (d, xs, 0.3) s
  -- 1 + c h = (1 + c d) * product (1 + c x)
  let h = f is (d, xs, 0.3)
  let inside i = i >= 0 && i < k
  let want_d = map3 (\d h s -> s * (1 + 0.3 * h) / (1 + 0.3 * d)) d h s
  let want_x = map2 (\i x -> if inside i then s[i] * (1 + 0.3 * h[i]) / (1 + 0.3 * x) else 0) is xs
  let eps = 1e-6
  let diff = (f64.sum (map2 (*) s (f is (d, xs, 0.3 + eps))) - f64.sum (map2 (*) s (f is (d, xs, 0.3 - eps)))) / (2 * eps)
  in and (map2 close d' want_d) && and (map2 close xs' want_x) && f64.abs (c' - diff) < 1e-5 * (1 + f64.abs diff)

entry second [n] (is: [n]i64) (xs: [n]f64) (k: i64) =
  let d = tabulate k (\i -> 1 + 0.1 * f64.i64 i)
  let e = tabulate k (\i -> 1 - 0.2 * f64.i64 i)
  let ys = map (\x -> x * x - 1) xs
  let (s, t) = unzip (tabulate k (\i -> (1 - 0.3 * f64.i64 i, 0.5 + 0.2 * f64.i64 i)))
  let (a, b, c, e') = vjp (g is) (d, e, xs, ys) (s, t)
  let dir (v: f64) (i: i64) = v * f64.sin (f64.i64 i + v)
  let (da, db, dc, de) = (tabulate k (dir 1), tabulate k (dir 2), tabulate n (dir 3), tabulate n (dir 4))
  let (p, q) = jvp (g is) (d, e, xs, ys) (da, db, dc, de)
  let dot u v = f64.sum (map2 (*) u v)
  in close (dot p s + dot q t) (dot a da + dot b db + dot c dc + dot e' de)

-- Second derivatives, and bins of two dimensions.
entry third [n] (is: [n]i64) (xs: [n]f64) (k: i64) =
  let h (xs: [n]f64) = f64.sum (flatten (reduce_by_index_2d (replicate k (replicate 2 1)) (\a b -> a + b + 0.3 * a * b) 0 (map (\i -> (i, i % 2)) is) xs))
  let v = tabulate n (\i -> f64.sin (f64.i64 i + 1))
  let hv = jvp (\x -> vjp h x 1) xs v
  let vh = vjp (\x -> vjp h x 1) xs v
  let s (e: f64) = vjp h (map2 (\x v -> x + e * v) xs v) 1
  let diff = map2 (\a b -> (a - b) / 2e-5) (s 1e-5) (s (-1e-5))
  in and (map2 close hv vh) && and (map2 (\a b -> f64.abs (a - b) < 1e-5) hv diff)
