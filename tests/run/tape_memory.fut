-- A budget for the tape of loops changes what is saved, and no derivative.
-- ==
-- entry: same
-- input { 0i64 [0.3, 0.7, 1.1] } output { true }
-- input { 1i64 [0.3, 0.7, 1.1] } output { true }
-- input { 2i64 [0.3, 0.7, 1.1] } output { true }
-- input { 7i64 [0.3, 0.7, 1.1] } output { true }
-- input { 27i64 [0.3, 0.7, 1.1] } output { true }
-- input { 28i64 [0.3, 0.7, 1.1] } output { true }
-- input { 50i64 empty([0]f64) } output { true }

def near (a: f64) (b: f64) = f64.abs (a - b) <= 1e-12 * (1 + f64.abs a + f64.abs b)

def all_near [n] (a: [n]f64) (b: [n]f64) = and (map2 near a b)

def step [n] (c: f64) (i: i64) (ys: [n]f64) = map (\y -> f64.sin (c * y) + f64.i64 (i % 3)) ys

def plain [n] (k: i64) (xs: [n]f64) : f64 =
  let c = f64.sum xs
  let ys = loop ys = xs for i < k do step c i ys
  let (a, b) = loop (a, b) = (c, 1) for i < i32.i64 k do (f64.sin (a * b) + f64.i32 i, f64.cos (a - b))
  let (d, _) = loop (d, i) = (a + b, 0i64) while i < k do (d * f64.sin d, i + 1)
  in f64.sum (map (\y -> loop z = y for _i < k do f64.sin (z * c)) ys) + d

-- Strips of one level, of some, and of as many as there are.
def loops [n] (c: f64) (k: i64) (xs: [n]f64) : [3][n]f64 =
  [ #[tape_memory(1000000)] loop ys = xs for i < k do step c i ys
  , #[tape_memory(300)] loop ys = xs for i < k do step c i ys
  , #[tape_memory(0)] loop ys = xs for i < k do step c i ys
  ]

def budgeted [n] (which: i64) (k: i64) (xs: [n]f64) : f64 =
  let c = f64.sum xs
  let ys = (loops c k xs)[which]
  let (a, b) =
    #[tape_memory(100)]
    loop (a, b) = (c, 1)
    for i < i32.i64 k do
      (f64.sin (a * b) + f64.i32 i, f64.cos (a - b))
  let (d, _) = #[tape_memory(100)] loop (d, i) = (a + b, 0i64) while i < k do (d * f64.sin d, i + 1)
  in f64.sum (map (\y -> #[tape_memory(50)] loop z = y for _i < k do f64.sin (z * c)) ys) + d

-- The number of steps and what each saves are in the program.
def constant (x: f64) : f64 = loop y = x for i < 100i64 do f64.sin (y + f64.i64 i)

def budgeted_constant (x: f64) : f64 = #[tape_memory(200)] loop y = x for i < 100i64 do f64.sin (y + f64.i64 i)

entry same [n] (k: i64) (xs: [n]f64) : bool =
  let first f = vjp f xs 1
  let second f = vjp (\xs -> f64.sum (map (** 2) (vjp f xs 1))) xs 1
  let mixed f = jvp (\xs -> vjp f xs 1) xs (map (+ 1) xs)
  let gradients which = all_near (first (plain k)) (first (budgeted which k))
  in and (map gradients (iota 3))
     && all_near (second (plain k)) (second (budgeted 2 k))
     && all_near (mixed (plain k)) (mixed (budgeted 1 k))
     && near (vjp constant 0.3 1) (vjp budgeted_constant 0.3 1)
