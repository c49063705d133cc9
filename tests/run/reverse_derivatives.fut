-- Derivatives by reverse mode: closed forms, and the conventions where there is none.
-- ==
-- entry: product
-- input { [2.0, 3.0, 5.0] } output { 30.0 [15.0, 10.0, 6.0] }
-- input { [2.0, 0.0, 5.0] } output { 0.0 [0.0, 10.0, 0.0] }
-- input { [0.0, 0.0, 5.0] } output { 0.0 [0.0, 0.0, 0.0] }
-- input { empty([0]f64) } output { 1.0 empty([0]f64) }

entry product [n] (xs: [n]f64) : (f64, [n]f64) = vjp2 f64.product xs 1

-- Of numbers that are equal the first one counts, and a NaN never wins.
-- ==
-- entry: ties
-- input { [3.0, 1.0, 3.0, 1.0] } output { [0.0, 1.0, 0.0, 0.0] [1.0, 0.0, 0.0, 0.0] }
-- input { [f64.nan, 1.0, 3.0, 3.0] } output { [0.0, 1.0, 0.0, 0.0] [0.0, 0.0, 1.0, 0.0] }

entry ties (xs: [4]f64) : ([4]f64, [4]f64) = (vjp f64.minimum xs 1, vjp f64.maximum xs 1)

-- Poles, and branches that avoid them.
-- ==
-- entry: poles
-- input { 0.0 } output { f64.inf -f64.inf 0.0 0.0 1.0 0.0 0.0 0.0 }

entry poles (x: f64) : (f64, f64, f64, f64, f64, f64, f64, f64) =
  ( vjp f64.sqrt x 1
  , vjp (\x -> 1 / x) x 1
  , vjp (\x -> if x > 0 then f64.sqrt x else 0) x 1
  , vjp f64.abs x 1
  , vjp (\x -> x ** 1) x 1
  , vjp (\x -> x ** 2) x 1
  , vjp (\x -> x ** 0) x 1
  , vjp (\y -> x ** y) x 1
  )

-- A function that calls itself twice: of f n = x f (n-1) + f (n-2) by x, for n = 3: x^3 + 2 x.
-- ==
-- entry: recursive
-- input { 2.0 } output { 14.0 }

def fibonacci (n: i64) (x: f64) : f64 =
  if n <= 0 then 1 else if n == 1 then x else x * fibonacci (n - 1) x + fibonacci (n - 2) x

entry recursive (x: f64) : f64 = vjp (fibonacci 3) x 1

-- Memory of a loop that changes an array in place: what it overwrites, not an array for each step.
-- ==
-- entry: in_place
-- input { 20000i64 } output { 20000.0 }

entry in_place (n: i64) : f64 =
  let f (xs: [n]f64) = f64.sum (loop ys = copy xs for i < n do ys with [i] = ys[i] * ys[i])
  in f64.sum (vjp f (replicate n 0.5) 1)

-- A general operator in a histogram with many bins, whose loop changes its bins in place.
-- ==
-- entry: bins
-- input { 500i64 2000i64 } output { 500.0 }

entry bins (n: i64) (k: i64) : f64 =
  let f (xs: [n]f64) = f64.sum (reduce_by_index (replicate k 0) (\a b -> a + b + a * b) 0 (iota n) xs)
  in f64.sum (vjp f (replicate n 0.5) 1)

-- Rules of its own, in both forms, with a rule that is not the derivative.
-- ==
-- entry: rules
-- input { 2.0 } output { 21.0 8.0 }

entry rules (x: f64) : (f64, f64) =
  ( vjp (\x -> 3 * with_vjp (\x -> x * x) (\_ a -> 7 * a) x) x 1
  , vjp (with_vjp_tape (\x -> (x, x * x)) (\(c, a) -> 4 * c * a)) x 1
  )

-- Several weights at once; none.
-- ==
-- entry: weights
-- input { 2.0 3.0 } output { [3.0, 2.0] [1.0, 1.0] 0i64 }

entry weights (x: f64) (y: f64) : ([2]f64, [2]f64, i64) =
  let f (x: f64, y: f64) = (x * y, x + y)
  let rows = map (\(a, b) -> [a, b]) (mjp f (x, y) [(1, 0), (0, 1)])
  in (rows[0], rows[1], length (mjp f (x, y) (copy [])))

-- Seeds and arguments remain as they are, though the adjoint is the same memory.
-- ==
-- entry: seeds
-- input { [1.0, 2.0] [10.0, 20.0] } output { [17.0, 20.0] [10.0, 20.0] [1.0, 2.0] }

entry seeds (xs: [2]f64) (s: [2]f64) : ([2]f64, [2]f64, [2]f64) =
  let a = vjp (\xs -> (xs, xs[0])) xs (s, 7)
  in (a, s, xs)

-- Seeds that are a constant of the program stay as they are, though the way back works in place.
-- ==
-- entry: constant_seeds
-- input { [0.7, 1.3] } output { [[2.0, 0.0], [0.5, 0.0]] [[1.0, 0.5], [0.25, -1.0]] }
def weights_of_all : [2][2]f64 = [[1, 0.5], [0.25, -1]]

entry constant_seeds (x: [2]f64) : ([2][2]f64, [2][2]f64) =
  let f (x: [2]f64) : [2]f64 = map (* 2) x with [1] = 3
  in (copy (mjp f x weights_of_all), copy weights_of_all)
