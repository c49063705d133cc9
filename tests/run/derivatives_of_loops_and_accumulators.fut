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
  let add (acc: *buf [k]) (i, x) : buf [k] = intrinsics.acc_write acc i (x * x)
  in intrinsics.hist_stream (copy dest) op ne add (zip is xs)

-- ==
-- entry: operators
-- input { [0i64, 1i64, 0i64, 3i64, 2i64] [1.0, 2.0, 3.0, 4.0, 0.5] }
-- output { [0.0, 0.0, 1.0] [0.0, 4.0, 6.0, 0.0, 0.0] [9.0, 4.0, 0.25] [18.0, 4.0, 6.0, 0.0, 1.0] }
entry operators [n] (is: [n]i64) (xs: [n]f64) =
  let (a, b) = vjp (stream f64.max f64.lowest is) (replicate 3 1, xs) (replicate 3 1)
  let (c, d) = vjp (stream (*) 1 is) (replicate 3 1, xs) (replicate 3 1)
  in (a, b, c, d)

-- No element is overwritten after it was read, so nothing of the array is saved: in one loop, in two in each other, and
-- where not all arrays are said to be so.
-- ==
-- entry: never_overwritten
-- input { [1.5, 2.0, 3.0, 4.0] } output { [1.06787109375, 0.0, 0.0, 0.0] [8.0, 0.0, 0.0, 0.0] [1.06787109375, 0.0, 0.0, 0.0] }
entry never_overwritten [n] (xs: [n]f64) =
  let squares xs = last (loop #[true_dep] ys = copy xs for i < n - 1 do ys with [i + 1] = ys[i] * ys[i] / 2)
  let sums xs =
    let zss =
      loop #[true_dep] zss = replicate n (copy xs)
      for i < n do
        loop #[true_dep] zss = copy zss
        for j < n - 1 do
          zss with [i, j + 1] = zss[i, j] + (if i > 0 then zss[i - 1, j + 1] else 0)
    in zss[1, n - 1] + zss[n - 1, 1]
  let squares_and_more xs =
    let (ys, _) =
      loop (#[true_dep] ys, zs) = (copy xs, copy xs)
      for i < n - 1 do
        (copy ys with [i + 1] = ys[i] * ys[i] / 2, zs with [0] = ys[i])
    in last ys
  in (vjp squares xs 1, vjp sums xs 1, vjp squares_and_more xs 1)

-- The numbers of a range count as moving with how many there are; other sizes are constants.
-- ==
-- entry: ranges
-- input { 5i64 } output { 5i64 5i64 0i64 [6i64, 3i64] [6i64, 3i64] }
entry ranges (n: i64) : (i64, i64, i64, [2]i64, [2]i64) =
  let f (n: i64) = i64.sum (iota n)
  let g (n: i64) = i64.sum (replicate n 3)
  let h (n: i64, k: i64) = i64.sum (map (\i -> i * k) (iota n))
  let (a, b) = vjp h (3, 2) 1
  in (vjp f n 1, jvp f n 1, vjp g n 1, jmp h (3, 2) [(1, 0), (0, 1)], [a, b])

-- A bin without values is combined with the neutral element, as others are: this one is none at 16.
-- ==
-- entry: no_neutral
-- input { [15.0, 1.0, 16.0, 4.0] } output { [0.0, 1.0, 0.0, 1.0] [0.0, 1.0] }
entry no_neutral (d: [4]f64) : ([4]f64, [2]f64) =
  let op (x: f64) (y: f64) = if 15 - x < y then 15 else x + y
  in vjp (\(d, xs) -> reduce_by_index (copy d) op 0 [0, 1] xs) (d, [1, 2]) (replicate 4 1)
