-- # Modules
--
-- A module holds definitions under a name. `f64` is one: it has `f64.sqrt`. Yours are made in the same way.

module vector = {
  type t = (f64, f64)

  def plus (a, b) (c, d) : t = (a + c, b + d)
  def scaled (s: f64) ((a, b): t) : t = (s * a, s * b)
  def norm ((a, b): t) = f64.hypot a b
}

def middle (a: vector.t) (b: vector.t) : vector.t = vector.scaled 0.5 (a `vector.plus` b)

-- > middle (0.0f64, 0.0f64) (4.0f64, 2.0f64)

-- `vector.(..)` opens it for one expression, `open vector` for the rest of the file.

def far (a: vector.t) : f64 = vector.(norm (plus a a))

-- > far (3.0f64, 4.0f64)

-- ## Files
--
-- Each file is a module, too. `import "lib/linear"` takes all of `lib/linear.fut`, whose path is relative to the file
-- that imports it; `module linear = import "lib/linear"` keeps its names behind `linear.`. What is marked `local` is
-- not passed on.
--
-- ## Module types
--
-- A module type says what a module has. Behind a module (`:`) it hides all else; a type without a definition becomes
-- *abstract*: its definition is not known outside, so that only the module can make its values.

module type counter = {
  type t
  val zero : t
  val count : bool -> t -> t
  val value : t -> i64
}

module saturating : counter = {
  type t = u8
  def zero : t = 0
  def count b (c: t) : t = if b && c < u8.highest then c + 1 else c
  def value (c: t) = i64.u8 c
}

def counted (n: i64) : i64 =
  saturating.value (loop c = saturating.zero for _i < n do saturating.count true c)

-- > (counted 10i64, counted 1000i64)

-- ## Modules that take modules
--
-- A parametric module is written once for all modules of a type. The prelude has module types for numbers: `numeric`,
-- `integral`, `real`, `float`.

module statistics (R: real) = {
  def mean [n] (xs: [n]R.t) : R.t = R.(sum xs / i64 n)

  def deviation [n] (xs: [n]R.t) : R.t =
    let m = mean xs
    in R.sqrt (mean (map (\x -> R.((x - m) * (x - m))) xs))
}

module double = statistics f64
module single = statistics f32

def deviations : (f64, f32) = (double.deviation [1, 2, 3, 4], single.deviation [2, 4])

-- > deviations

-- Types of a parameter that users must know are shown with `with`: `: some_type with t = R.t`.

module type monoid = {
  type t
  val ne : t
  val op : t -> t -> t
}

module summed (M: monoid) = {
  def of [n] (xs: [n]M.t) : M.t = reduce M.op M.ne xs
}

module longest = summed {
  type t = i64
  def ne = 0i64
  def op = i64.max
}

def longest_of : i64 = longest.of [3, 9, 4]

-- > longest_of

-- Next: [packages](packages.md).
