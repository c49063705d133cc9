-- Where there is no derivative: each row of the table in docs/derivatives.md, in both modes.
-- ==
-- entry: winners not_a_number winners_of_arrays winners_of_bins steps poles zeros branches
-- input { 0.0 } output { true }

-- ==
-- entry: powers remainders hypotenuse conversions bits integers indices ranges
-- input { 0.0 } output { true }

-- ==
-- entry: written_twice out_of_bounds constructors
-- input { 0.0 } output { true }

def same (a: f64) (b: f64) = a == b || (f64.isnan a && f64.isnan b)

-- Both derivatives of a function of one number.
def is (f: f64 -> f64) (x: f64) (expected: f64) = same (jvp f x 1) expected && same (vjp f x 1) expected

-- Both derivatives of a function of two numbers, by each of them.
def are (f: (f64, f64) -> f64) (x: (f64, f64)) (by: (f64, f64)) =
  let back = vjp f x 1
  in same back.0 by.0 && same back.1 by.1
     && same (jvp f x (1, 0)) by.0
     && same (jvp f x (0, 1)) by.1

-- The adjoints of an array, and tangents in each direction.
def are_all [n] (f: [n]f64 -> f64) (x: [n]f64) (by: [n]f64) =
  let unit i = tabulate n (\j -> if i == j then 1 else 0)
  in and (map2 same (vjp f x 1) by) && and (map2 same (tabulate n (\i -> jvp f x (unit i))) by)

entry winners (x: f64) : bool =
  are (\(a, b) -> f64.min a b) (x, x) (1, 0) && are (\(a, b) -> f64.max a b) (x, x) (1, 0)

entry not_a_number (x: f64) : bool =
  are (\(a, b) -> f64.min a b) (x, f64.nan) (0, 0) && are (\(a, b) -> f64.max a b) (f64.nan, x) (0, 0)

entry winners_of_arrays (x: f64) : bool =
  are_all f64.minimum [x + 1, x, x] [0, 1, 0] && are_all f64.maximum [x - 1, x, x] [0, 1, 0]

entry winners_of_bins (x: f64) : bool =
  let bins (xs: [3]f64) = f64.sum (reduce_by_index (copy xs[:1]) f64.max f64.lowest [0, 0] [xs[1], xs[2]])
  in are_all bins [x, x, x] [1, 0, 0] && are_all bins [x - 1, x, x] [0, 1, 0]

entry steps (x: f64) : bool =
  is f64.abs x 0 && is f64.sgn x 0 && is f64.floor x 0 && is f64.ceil x 0 && is f64.round x 0 && is f64.trunc x 0

entry poles (x: f64) : bool = is f64.sqrt x f64.inf && is f64.log x f64.inf && is (\x -> 1 / x) x (-f64.inf)

entry zeros (x: f64) : bool =
  is (\y -> (y - y) * f64.sqrt y) x f64.nan && same (jvp f64.sqrt x 0) 0 && same (vjp f64.sqrt x 0) 0

entry branches (x: f64) : bool = is (\x -> if x > 0 then f64.sqrt x else 0) x 0

entry powers (x: f64) : bool =
  are (\(x, y) -> x ** y) (x, 1) (1, 0)
  && are (\(x, y) -> x ** y) (x, 2) (0, 0)
  && are (\(x, y) -> x ** y) (x, 0) (0, 0)
  && are (\(x, y) -> x ** y) (x - 2, 3) (12, 0)

entry remainders (x: f64) : bool =
  are (\(x, y) -> x % y) (x + 7, 2) (1, -3) && are (\(x, y) -> x % y) (x - 7, 2) (1, 3)

entry hypotenuse (x: f64) : bool = are (\(x, y) -> f64.hypot x y) (x, x) (0, 0)

entry conversions (x: f64) : bool = is (\x -> f64.i32 (i32.f64 x)) (x + 3.5) 1

entry bits (x: f64) : bool = is (\x -> f64.from_bits (f64.to_bits x)) (x + 3.5) 1

entry integers (x: f64) : bool =
  let k = i64.f64 x + 5
  in vjp (\k -> k * k - k) k 1 == 9 && jvp (\k -> k * k - k) k 1 == 9 && vjp (\k -> k << 2) k 1 == 0
     && jvp (\k -> k / 2) k 1 == 0

entry indices (x: f64) : bool =
  let xs = [x + 1, x + 2]
  let read k = xs[k % 2]
  in vjp read 1 1 == 0 && jvp read 1 1 == 0 && vjp (\x -> f64.bool (x > 0)) x 1 == 0

entry ranges (x: f64) : bool =
  jvp (\n -> i64.sum (iota n)) (i64.f64 x + 3) 1 == 3
  && vjp (\n -> i64.sum (iota n)) (i64.f64 x + 3) 1 == 3

-- The writes have one value, so that it does not matter which of them remains.
entry written_twice (x: f64) : bool =
  let put (ys: [2]f64) = f64.sum (scatter (replicate 2 0) [0, 0] ys)
  let back = vjp put [x, x] 1
  in f64.sum back == 1 && same (jvp put [x, x] [1, 1]) 1

entry out_of_bounds (x: f64) : bool =
  are_all (\ys -> f64.sum (scatter (replicate 2 0) [5, 0] ys)) [x, x] [0, 1]
  && are_all (\ys -> f64.sum (reduce_by_index (replicate 2 0) (+) 0 [-1, 1] ys)) [x, x] [0, 1]

type shape = #circle f64 | #square f64 f64

entry constructors (x: f64) : bool =
  let area (s: shape) = match s case #circle r -> r * r case #square a b -> a * b
  in match vjp area (#square (x + 2) (x + 3)) 1
     case #square a b -> a == 3 && b == 2
     case #circle _ -> false
