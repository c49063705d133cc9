-- Loops that say how many steps they make at most; accumulators with other operators than addition.

def power (y: i64) (x: f64) : f64 =
  let (_, res) =
    #[bound(20)]
    loop (i, acc) = (0, 1)
    while i < y do
      (i + 1, acc * x)
  in res

-- ==
-- entry: bounded
-- input { 3i64 4.0 } output { 64.0 48.0 24.0 }
-- input { 0i64 4.0 } output { 1.0 0.0 0.0 }
-- input { 20i64 1.0 } output { 1.0 20.0 380.0 }
-- input { 21i64 1.0 } error: more steps
entry bounded (y: i64) (x: f64) =
  let (p, d) = vjp2 (power y) x 1
  in (p, d, jvp (\x -> vjp (power y) x 1) x 1)

-- The same for arrays that change in place.
-- ==
-- entry: sums
-- input { 3i64 [1.0, 2.0] } output { [8.0, 8.0] [8.0, 8.0] }
-- input { 0i64 [1.0, 2.0] } output { [1.0, 1.0] [1.0, 1.0] }
entry sums [n] (y: i64) (xs: [n]f64) =
  let f (bounded: bool) xs =
    let xs = copy xs
    in if bounded
       then (#[bound(5)] loop (i, xs) = (0, xs) while i < y do (i + 1, map (* 2) xs)).1
       else (loop (i, xs) = (0, xs) while i < y do (i + 1, map (* 2) xs)).1
  in (vjp (f true) xs (replicate n 1), vjp (f false) xs (replicate n 1))

type~ buf [k] = intrinsics.acc ([k]f64)

def stream [k] [n] (op: f64 -> f64 -> f64) (ne: f64) (is: [n]i64) (dest: [k]f64, xs: [n]f64) : [k]f64 =
  intrinsics.hist_stream (copy dest) op ne (\(acc: *buf [k]) (i, x) : buf [k] -> intrinsics.acc_write acc i (x * x)) (zip is xs)

-- ==
-- entry: operators
-- input { [0i64, 1i64, 0i64, 3i64, 2i64] [1.0, 2.0, 3.0, 4.0, 0.5] }
-- output { [0.0, 0.0, 1.0] [0.0, 4.0, 6.0, 0.0, 0.0] [9.0, 4.0, 0.25] [18.0, 4.0, 6.0, 0.0, 1.0] }
entry operators [n] (is: [n]i64) (xs: [n]f64) =
  let (a, b) = vjp (stream f64.max f64.lowest is) (replicate 3 1, xs) (replicate 3 1)
  let (c, d) = vjp (stream (*) 1 is) (replicate 3 1, xs) (replicate 3 1)
  in (a, b, c, d)
