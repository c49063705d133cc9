-- Reverse mode against forward mode: w · (J v) = (Jᵀ w) · v for each construct, and for some gradients.
-- ==
-- entry: scalars arrays combinators histograms control nests second
-- input { [0.7, 1.3, 0.9, 1.7, 0.6, 1.1] } output { true }

def near (a: f64) (b: f64) = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a + f64.abs b)

def dot [n] (a: [n]f64) (b: [n]f64) = f64.sum (map2 (*) a b)

def direction (n: i64) (k: f64) : [n]f64 = tabulate n (\i -> f64.sin (k + f64.i64 i * 1.7))

-- Of a function, and of its gradient.
def agrees [n] [m] (f: [n]f64 -> [m]f64) (x: [n]f64) : bool =
  let (v, w) = (direction n 0.3, direction m 1.1)
  in near (dot w (jvp f x v)) (dot v (vjp f x w))

def both [n] [m] (f: [n]f64 -> [m]f64) (x: [n]f64) : bool =
  let w = direction m 0.7
  in agrees f x && agrees (\x -> vjp f x w) x

def one (f: [6]f64 -> f64) (x: [6]f64) : [1]f64 = [f x]

entry scalars (xs: [6]f64) : bool =
  and [ agrees (one (\x -> x[0] * x[1] / x[2] - x[3])) xs
      , agrees (one (\x -> f64.exp x[0] + f64.log x[1] + f64.sqrt x[2] + x[3] ** x[4])) xs
      , agrees (one (\x -> f64.sin x[0] * f64.cos x[1] + f64.tanh x[2] + f64.atan2 x[3] x[4])) xs
      , agrees (one (\x -> f64.min x[0] x[1] * f64.max x[2] x[3] + f64.abs (x[4] - x[5]))) xs
      , agrees (one (\x -> if x[0] > x[1] then x[2] * x[3] else x[4] * x[5] * x[0])) xs
      , agrees (one (\x -> f64.fma x[0] x[1] x[2] + f64.hypot x[3] x[4] + f64.cbrt x[5])) xs
      ]

entry arrays (xs: [6]f64) : bool =
  and [ agrees (\x -> reverse x) xs
      , agrees (\x -> map2 (*) (rotate 2 x) x) xs
      , agrees (\x -> concat (x[1:3] :> [2]f64) (map (** 2) x)) xs
      , agrees (\x -> flatten (transpose (unflatten (x :> [2 * 3]f64)))) xs
      , agrees (\x -> flatten (replicate 3 (map f64.sin x))) xs
      , agrees (\x -> copy x with [2] = x[1] * x[3]) xs
      , agrees (\x -> let y = copy x with [1:4] = map2 (*) (x[2:5] :> [3]f64) (x[0:3] :> [3]f64) in map (** 2) y) xs
      , agrees (\x -> [x[0] * x[1], x[2], 3, x[0]]) xs
      , agrees (\x -> map (\i -> x[i] * x[(i * i) % 6]) (iota 6)) xs
      , agrees (\x -> let y = copy x with [0] = x[1] * x[1] in let z = copy y with [1] = y[0] * x[2] in map2 (*) z y) xs
      ]

entry combinators (xs: [6]f64) : bool =
  let mul (a, b) (c, d) = (a * c, a * d + b)
  let mm (a, b, c, d) (e, f, g, h) : (f64, f64, f64, f64) =
    (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
  in and [ agrees (\x -> map (\a -> a * x[0] * x[1]) x) xs
         , agrees (one f64.sum) xs
         , agrees (one f64.product) xs
         , agrees (one (\x -> f64.minimum (map (\a -> (a - 1) ** 2) x))) xs
         , agrees (one f64.maximum) xs
         , agrees (one (\x -> let (a, b) = reduce mul (1, 0) (zip x (rotate 1 x)) in a * b)) xs
         , agrees (one (\x -> (reduce mm (1, 0, 0, 1) (zip4 x (rotate 1 x) (rotate 2 x) (rotate 3 x))).1)) xs
         , agrees (scan (+) 0) xs
         , agrees (scan (*) 1) xs
         , agrees (scan f64.max 0) xs
         , agrees (\x -> (unzip (scan mul (1, 0) (zip x (rotate 1 x)))).1) xs
         , agrees (\x -> map (.2) (scan mm (1, 0, 0, 1) (zip4 x (rotate 1 x) (rotate 2 x) (rotate 3 x)))) xs
         , agrees (\x -> scan (\a b -> a + b + x[0] * a * b) 0 x) xs
         , agrees (one (\x -> reduce (\a b -> a + b + x[0] * a * b) 0 x)) xs
         , agrees (\x -> reduce (map2 (*)) (replicate 6 1) [x, rotate 1 x, rotate 3 x]) xs
         , agrees (\x -> reduce (map2 (+)) (replicate 6 0) [x, map (** 2) x]) xs
         , agrees (\x -> flatten (scan (map2 (*)) (replicate 6 1) [x, rotate 1 x, rotate 3 x])) xs
         , agrees (one (\x -> let y = filter (> 1) x in f64.sum (map2 (\a i -> a * f64.i64 (i + 1)) y (indices y)))) xs
         , agrees (\x -> let (s, m) = (f64.sum x, f64.maximum x) in map (\a -> f64.exp (a - m) / s) x) xs
         , agrees (\x -> map2 (\f a -> if f then a * a else 2 * a) (map (> 1) x) x) xs
         , agrees (\x -> (unzip (scan (\(f, a) (g, b) -> (f || g, if g then b else a * b)) (false, 1)
                                 (zip (map (> 1) x) x))).1) xs
         , agrees (\x -> let (l, r) = partition (> 1) x in concat (map (** 2) l) (map f64.sin r) :> [6]f64) xs
         ]

entry histograms (xs: [6]f64) : bool =
  let is = [0i64, 2, 0, 5, 2, 1]
  in and [ agrees (\x -> reduce_by_index (map (** 2) (x[0:3] :> [3]f64)) (+) 0 is x) xs
         , agrees (\x -> reduce_by_index (map (** 2) (x[0:3] :> [3]f64)) (*) 1 is x) xs
         , agrees (\x -> reduce_by_index (map (\a -> a / 2) (x[0:3] :> [3]f64)) f64.max 0 is x) xs
         , agrees (\x -> reduce_by_index (map (** 2) (x[0:3] :> [3]f64)) f64.min 9 is x) xs
         , agrees (\x -> reduce_by_index (map (** 2) (x[0:3] :> [3]f64)) (\a b -> a + b + x[5] * a * b) 0 is x) xs
         , agrees (\x -> flatten (reduce_by_index (replicate 3 (replicate 6 0)) (map2 (+)) (replicate 6 0) is
                                  (replicate 6 x))) xs
         , agrees (\x -> flatten (reduce_by_index (replicate 3 (replicate 6 1)) (map2 (*)) (replicate 6 1) is
                                  [x, x, rotate 1 x, x, rotate 2 x, x])) xs
         , agrees (\x -> scatter (map (** 2) x) [1, 3, 7, -1, 0, 5] (rotate 1 x)) xs
         , agrees (\x -> hist (+) 0 3 is x) xs
         ]

entry control (xs: [6]f64) : bool =
  let fact (n: i64) (x: f64) = loop y = 1 for i < n do y * (x + f64.i64 i)
  in and [ agrees (one (\x -> loop s = 0 for i < 6 do f64.sin (s + x[i]) * x[0])) xs
         , agrees (\x -> loop y = copy x for i < 5 do y with [i + 1] = y[i] * y[i + 1]) xs
         , agrees (\x -> loop y = x for _i < 3i32 do map2 (*) (rotate 1 y) (map f64.sin x)) xs
         , agrees (one (\x -> (loop (s, i) = (x[0], 0) while s < 5 do (s * (1 + x[i]), (i + 1) % 6)).0)) xs
         , agrees (one (\x -> f64.sum (loop y = x for _i < 2i32 do concat y (map (* 2) y)))) xs
         , agrees (one (\x -> f64.sum (map (\i -> fact i x[i]) (iota 6)))) xs
         , agrees (one (\x -> loop s = 1 for i < 6 do loop t = s for j < i do t * x[j] + f64.sin s)) xs
         , agrees (one (\x -> #[stripmine(2)] loop s = 1 for i < 6 do s * x[i] + f64.sin s)) xs
         , agrees (\x -> if x[0] > 1 then map (* x[1]) x else map (** 3) x) xs
         , agrees (one (\x -> f64.sum (if x[0] > 1 then x[1:] else map (* x[1]) x[2:5]))) xs
         , agrees (one (\x -> (loop (a, b) = (x[0], x[1]) for y in x do (b * y, a + y)).0)) xs
         ]

entry nests (xs: [6]f64) : bool =
  let rows (x: [6]f64) = unflatten (x :> [2 * 3]f64)
  let matmul [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64) = map (\r -> map (\c -> dot r c) (transpose b)) a
  in and [ agrees (\x -> flatten (matmul (rows x) (transpose (rows x)))) xs
         , agrees (\x -> map (\r -> f64.sum (map (* x[3]) r)) (rows x)) xs
         , agrees (\x -> map (\r -> f64.product (scan (+) 0 r)) (rows x)) xs
         , agrees (one (\x -> f64.sum (map (\i -> f64.sum (map (\j -> x[i] * x[j] * x[(i + j) % 6]) (iota 6))) (iota 6)))) xs
         , agrees (\x -> map (\i -> loop s = x[i] for j < i do s * x[j]) (iota 6)) xs
         , agrees (\x -> loop y = x for i < 2i64 do map (\a -> f64.sum (map (\b -> f64.sin (a * b) * y[i]) y)) y) xs
         , agrees (\x -> map (\a -> if a > 1 then f64.sum (map (* a) x) else x[0] * a) x) xs
         , agrees (\x -> map (\r -> f64.maximum r * x[0]) (rows x)) xs
         , agrees (\x -> flatten (map (\r -> map (/ f64.sum r) r) (map (map f64.exp) (rows x)))) xs
         , agrees (\x -> jvp (map (\a -> a * a * x[0])) x (rotate 1 x)) xs
         , agrees (with_vjp (map (** 2)) (\_ a -> map2 (\x a -> 2 * x * a) xs a)) xs
         ]

entry second (xs: [6]f64) : bool =
  let is = [0i64, 2, 0, 5, 2, 1]
  in and [ both (one (\x -> x[0] * x[1] / x[2] - x[3])) xs
         , both (one f64.product) xs
         , both (scan (*) 1) xs
         , both (\x -> reduce_by_index (map (** 2) (x[0:3] :> [3]f64)) (*) 1 is x) xs
         , both (\x -> loop y = copy x for i < 5 do y with [i + 1] = y[i] * y[i + 1]) xs
         , both (one (\x -> f64.sum (map (\i -> f64.sum (map (\j -> x[i] * x[j]) (iota 6))) (iota 6)))) xs
         ]
