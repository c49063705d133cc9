-- Abstract types that a refinement gives sizes nobody wrote, and definitions that hide others.

module type reader = {
  type~ text
  type digit
  val size : text -> i64
  val at : i64 -> text -> digit
}

def apply_reader 'text 'digit (at: i64 -> text -> digit) (i: i64) (t: text) : digit = at i t

-- The size of the text is the caller's, wherever the parameter stands.
module numbers (C: { type char }) (R: reader with text = []C.char with digit = i32) = {
  def first [n] (t: [n]C.char) : i32 = R.at 0 t
  def last (t: []C.char) : i32 = apply_reader R.at (R.size t - 1) t
}

module bytes = numbers { type char = u8 } {
  type~ text = []u8
  type digit = i32
  def size (t: text) = length t
  def at (i: i64) (t: text) : i32 = i32.u8 t[i] - 48
}

-- A refined type has the kind that the module type declares.
module type source = { type~ state val start : state }
module type reusable = { type state val again : state }

module restart (S: source) : reusable with state = S.state = {
  type~ state = S.state
  def again = S.start
}

module twice (S: source) : reusable with state = S.state = {
  module inner = restart S
  type state = inner.state
  def again = inner.again
}

module counter = twice { type state = i32 def start = 41i32 }

-- What is local may hide an earlier definition.
def next (x: i32) : i32 = x + 1
local def after_next (x: i32) : i32 = next x + 1
local def next (x: i32) (by: i32) : i32 = after_next x + by

-- The loop does not consume its parameter, whatever its type says.
def rounds [n] (xs: [n]i32) : i32 =
  let (_, k) = loop (ys: *[]i32, k) = (xs, 0) while length ys != 0 do
    let zs = map (+ 1) ys
    in (zs[1:], k + 1)
  in k

-- An abbreviation is applied to a size expression.
type table [k] = {keys: [2 ** k]i64, values: [2 ** k]i64}
def table_of (r: i32) : table [i64.i32 r] =
  let k = i64.i32 r
  in {keys = iota (2 ** k), values = replicate (2 ** k) 1}

-- ==
-- input { [49u8, 50u8, 53u8] } output { 1 5 41 4 3 8i64 }

entry main [n] (text: [n]u8) =
  ( bytes.first text
  , bytes.last text
  , counter.again
  , next 1 1
  , rounds (map i32.u8 text)
  , length (table_of 3).keys
  )

-- What only abbreviates an abstract type can be refined, too, also with parameters.
module type numbers = {
  module inner: { type real }
  type r = inner.real
  type s = r
  val one : s
}

module ones : numbers with s = i16 = {
  module inner = { type real = i16 }
  type r = inner.real
  type s = r
  def one = 1i16
}

module type grids = {
  type grid [n] [m]
  type table [n] [m] = grid [n] [m]
  val same [n] [m] : [n][m]i32 -> table [n] [m]
}

module grids : grids with table [n] [m] = [n][m]i32 = {
  type grid [n] [m] = [n][m]i32
  type table [n] [m] = grid [n] [m]
  def same [n] [m] (xss: [n][m]i32) = xss
}

-- ==
-- entry: abbreviated
-- input { [[1, 2, 3], [4, 5, 6]] } output { 8i32 }
entry abbreviated xss = i32.i16 ones.one + (grids.same xss)[1, 2] + ones.(i32.i16 one)
