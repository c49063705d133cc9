-- Derivatives by forward mode: closed forms, and differences for each construct.
-- ==
-- entry: product
-- input { [1.0, 2.0, 3.0] [1.0, 10.0, 100.0] } output { 236.0 6.0 }
-- input { empty([0]f64) empty([0]f64) } output { 0.0 1.0 }

entry product [n] (xs: [n]f64) (ts: [n]f64) : (f64, f64) =
  let (y, t) = jvp2 f64.product xs ts
  in (t, y)

-- Of numbers that are equal the first one counts, and a NaN never wins.
-- ==
-- entry: ties
-- input { 1.0 } output { 1.0 2.0 0.0 3.0 }

entry ties (x: f64) : (f64, f64, f64, f64) =
  ( jvp (\x -> f64.minimum [x, x, f64.nan]) x 1
  , jvp (\(x, y) -> f64.min x y) (x, x) (2, 3)
  , jvp (\(x, y) -> f64.max x y) (x, f64.nan) (2, 3)
  , jvp (\(x, y) -> f64.maximum [y, x, y]) (x, x) (2, 3)
  )

-- Poles, and branches that avoid them.
-- ==
-- entry: poles
-- input { 0.0 } output { f64.inf -f64.inf 0.0 0.0 1.0 0.0 0.0 0.0 }

entry poles (x: f64) : (f64, f64, f64, f64, f64, f64, f64, f64) =
  ( jvp f64.sqrt x 1
  , jvp (\x -> 1 / x) x 1
  , jvp (\x -> if x > 0 then f64.sqrt x else 0) x 1
  , jvp f64.abs x 1
  , jvp (\x -> x ** 1) x 1
  , jvp (\x -> x ** 2) x 1
  , jvp (\x -> x ** 0) x 1
  , jvp (\y -> x ** y) x 1
  )

-- Integers have tangents that are integers; conversions and negation pass them on.
-- ==
-- entry: integers
-- input { 3i32 } output { 54i32 2i64 true [0i32, 2i32, 4i32] }

entry integers (x: i32) : (i32, i64, bool, [3]i32) =
  ( jvp (\x -> x * x * x) x 2
  , jvp (\x -> i64.f64 (f64.i32 x)) x 2
  , jvp (\b -> !b) true true
  , jvp (\x -> map (\i -> i32.i64 i * x) (iota 3)) x 2
  )

-- Derivatives in derivatives do not mix: d/dx [x * d/dy (x * y^2) at 3] = 12 x.
-- ==
-- entry: nested
-- input { 2.0 } output { 24.0 }

entry nested (x: f64) : f64 = jvp (\x -> x * jvp (\y -> x * y * y) 3 1) x 1

-- A Jacobian by several directions at once; none; and a rule for reverse mode, which forward mode does not use.
-- ==
-- entry: directions
-- input { 2.0 3.0 } output { [3.0, 1.0] [2.0, 1.0] 6.0 0i64 4.0 }

entry directions (x: f64) (y: f64) : ([2]f64, [2]f64, f64, i64, f64) =
  let f (x: f64, y: f64) = (x * y, x + y)
  let rows = map (\(a, b) -> [a, b]) (jmp f (x, y) [(1, 0), (0, 1)])
  let (value, none) = jmp2 f (x, y) (copy [])
  let own = jvp (with_vjp (\x -> x * x) (\_ _ -> 7)) x 1
  in (rows[0], rows[1], value.0, length none, own)
