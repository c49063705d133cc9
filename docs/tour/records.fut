-- # Records, sums and names for types
--
-- A record has named fields. `type` gives a type a name; it makes no new type.

type body = {mass: f64, at: (f64, f64), speed: (f64, f64)}

def moved (dt: f64) (b: body) : body =
  let (x, y) = b.at
  let (u, v) = b.speed
  in b with at = (x + dt * u, y + dt * v)

def stone : body = {mass = 1.5, at = (0, 10), speed = (2, 0)}

def where_is (steps: i64) : (f64, f64) =
  let b = loop b = stone for _i < steps do moved 0.5 b
  in b.at

-- > where_is 4i64

-- `b with at = ..` is `b` with another value for one field. A pattern takes a record apart; `{x, y}` as an expression
-- takes the values of that name.

def energy ({mass, at = (_, height), speed = (u, v)}: body) : f64 =
  mass * (9.81 * height + (u * u + v * v) / 2)

def total : f64 =
  let mass = 2
  let at = (0, 1)
  let speed = (0, 0)
  in energy {mass, at, speed}

-- > total

-- An array of records is stored as a record of arrays, so that a program that uses one field reads only that.
--
-- ## One of several
--
-- A sum type has a value of one of several kinds; `match` asks which. Constructors begin with `#`, and may have values
-- behind them. The compiler says if a case is missing.

type shape = #circle f64 | #rectangle f64 f64 | #nothing

def area (s: shape) : f64 =
  match s
  case #circle r -> f64.pi * r * r
  case #rectangle a b -> a * b
  case #nothing -> 0

def areas : [3]f64 = map area [#circle 1, #rectangle 2 3, #nothing]

-- > areas

-- Numbers and tuples can be matched as well; `_` matches all that is left.

def fizz (n: i64) : i64 =
  match (n % 3, n % 5)
  case (0, 0) -> -15
  case (0, _) -> -3
  case (_, 0) -> -5
  case _ -> n

def fizzes = map fizz (1...15)

-- > fizzes

-- A value that may be missing is a sum, too. There is no null.

type option 'a = #none | #some a

def find 'a [n] (p: a -> bool) (xs: [n]a) : option a =
  let i = reduce i64.min n (map2 (\x i -> if p x then i else n) xs (iota n))
  in if i < n then #some xs[i] else #none

def or_zero (x: option i32) : i32 =
  match x
  case #some x -> x
  case #none -> 0

def found : (i32, i32) = (or_zero (find (> 2) [1, 2, 3, 4]), or_zero (find (> 9) [1, 2]))

-- > found

-- ## Types with parameters
--
-- Types can have sizes and types as parameters. A type with a size that is not a parameter is marked by `~`.

type matrix [n] [m] 'a = [n][m]a
type~ bag 'a = []a

def diagonal [n] (m: matrix [n] [n] f64) : [n]f64 = tabulate n (\i -> m[i, i])
def size 'a (xs: bag a) : i64 = length xs

def shown : ([2]f64, i64) = (diagonal [[1, 2], [3, 4]], size [true, false])

-- > shown

-- Next: [modules](modules.md).
