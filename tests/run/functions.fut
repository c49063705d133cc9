-- Higher-order functions, recursion and operators.
def compose 'a 'b 'c (f: b -> c) (g: a -> b) (x: a) = f (g x)

def (|*|) (x: i32) (y: i32) = x * y + 1

def fact (n: i64) : i64 = if n <= 1 then 1 else n * fact (n - 1)

def repeat 'a (n: i64) (f: a -> a) (x: a) : a = if n == 0 then x else repeat (n - 1) f (f x)

#[noinline]
def far (x: i32) (ys: []i32) = i32.sum (map (+ x) ys)

-- ==
-- input { 3 [1,2] } output { 16 120i64 24 9 3 }

entry main (x: i32) (ys: []i32) =
  let add k = \z -> z + k
  let fs = {inc = add 1, scale = (* 3)}
  in ( compose (add 4) fs.scale (fs.inc x)
     , fact 5
     , repeat 3 (* 2) x
     , far x ys
     , (x |*| 2 |*| 2) % 4
     )

-- Sums with functions in them: which constructor it is, is known.

type^ step = #stay | #apply (i32 -> i32) | #twice (i32 -> i32) i32

def take_step (s: step) (x: i32) : i32 =
  match s
  case #stay -> x
  case #apply f -> f x
  case #twice f y -> f (f x) + y

module stepper : {type^ t val start : t val run : t -> i32 -> i32} = {
  type^ t = #by i32 | #with (i32 -> i32)
  def start : t = #with (* 10)

  def run (s: t) (x: i32) =
    match s
    case #by k -> x + k
    case #with f -> f x
}

-- ==
-- entry: steps
-- input { 3 } output { 3 4 55 31 }

entry steps (x: i32) =
  ( take_step #stay x
  , take_step (#apply (+ 1)) x
  , take_step (#twice (* x) (x * 9 + 1)) x
  , match (stepper.run stepper.start x, #apply (+ 1) : step)
    case (y, #apply f) -> f y
    case _ -> 0
  )

-- ==
-- entry: not_yet
-- input { 3 } output { 4 }
-- input { -3 } error: hole

entry not_yet (x: i32) : i32 = if x > 0 then x + 1 else ??? (+ x) x

type^ summary = {count: (k: i64) -> [k]i32 -> i64, name: i32}

-- Nobody asks for the structure of the arguments, so each use says what their sizes are.
def no_summary : summary =
  let count _ _ = 0
  in {count, name = 7}

-- ==
-- entry: local_sizes
-- input { [1,2] [3,4,5] } output { 0i64 5i64 [1,2] [3,4,5] 3i64 }

entry local_sizes (xs: []i32) (ys: []i32) =
  let both x = (x, x)
  let len x =
    let (a, _) = both x
    in length a
  in (no_summary.count 2 [1, 2], len xs + len ys, (both xs).0, (both ys).1, length (both ys).0)

-- Attributed so, expressions are not evaluated.
-- ==
-- entry: blanks
-- input { empty([0]i64) } output { true }
-- input { [7i64] } output { true }

entry blanks [n] (xs: [n]i64) =
  let x = #[blank] xs[0]
  let ys = #[blank] map (\i -> xs[i + n]) (iota n)
  let zs = scatter (#[scratch] map (\i -> xs[i + n]) (iota n)) (iota n) xs
  in length ys == n && zs == xs && (x == 0 || true)

-- A size parameter of which only products are sizes of the arguments differs from call to call.
#[noinline]
def strided [s] [t] (k: [s * t]i64) (q: [t]i64) : i64 =
  loop acc = 0 for i < s do acc + k[i * t] * q[0] + s

-- ==
-- entry: strided_twice
-- input { [[1i64, 0i64]] [[2i64, 0i64], [3i64, 0i64], [4i64, 0i64]] [5i64, 6i64] } output { 6i64 54i64 }

entry strided_twice [a] [b] (k0: [a][2]i64) (k1: [b][2]i64) (q: [2]i64) =
  (strided (flatten k0) q, strided (flatten k1) q)

-- ==
-- entry: strided_rows
-- input { [[1i64, 0i64], [2i64, 0i64]] [[1i64, 0i64], [2i64, 0i64]] } output { [7i64, 10i64] }

entry strided_rows [b] (k: [b][2]i64) (qs: [][2]i64) =
  map (strided (flatten k)) qs

def strided_less [s] [t] (k: i64) (xs: [s * t]i64) (q: [t]i64) : i64 =
  if k == 0
  then s + xs[0] * q[0]
  else s * 10 + strided_less (k - 1) (xs[0:(s - 1) * t] :> [(s - 1) * t]i64) q

-- ==
-- entry: strided_recursion
-- input { [[1i64, 0i64], [1i64, 0i64]] [[1i64, 0i64], [1i64, 0i64], [1i64, 0i64]] [1i64, 1i64] } output { 22i64 52i64 }

entry strided_recursion [a] [b] (k0: [a][2]i64) (k1: [b][2]i64) (q: [2]i64) =
  (strided_less 1 (flatten k0) q, strided_less 2 (flatten k1) q)

-- Tables of constants, unrolled on request, of which elements are used.
-- ==
-- entry: unrolled_tables
-- input { [1i64, 2i64, 3i64, 4i64, 5i64] 1i64 } output { [30i64, 50i64, 70i64, 90i64, 110i64] 7i64 [0i64, 1i64, 4i64, 9i64] }

entry unrolled_tables [n] (xs: [n]i64) (k: i64) =
  let costs = [2 + 1i64, 5, 3 + 4, 2 * 5 + 1]
  let weights =
    #[unroll]
    tabulate 3 (\i ->
                  #[unroll]
                  tabulate 3 (\j -> #[unsafe] costs[i64.max i j]))
  let flat = flatten weights
  let weigh x = #[sequential] #[unroll] i64.sum (map2 (\w i -> if i < 4 then w * (x + i % 2) else 0) flat (indices flat))
  in (map weigh xs, weights[k, k + 1], #[unroll] map (\i -> i * i) (iota 4))
