-- Rings, polynomials over them, and vectors of a hidden representation.

module type ring = {
  type t
  val zero : t
  val one : t
  val + : t -> t -> t
  val * : t -> t -> t
}

module ring_i64 : ring with t = i64 = {
  type t = i64
  def zero = 0i64
  def one = 1i64
  def (+) (x: i64) (y: i64) = x i64.+ y
  def (*) (x: i64) (y: i64) = x i64.* y
}

module poly (R: ring) : {
  type p [n]
  val mk [n] : [n]R.t -> p [n]
  val at [n] : p [n] -> R.t -> R.t
} = {
  type p [n] = [n]R.t
  def mk 'a (xs: a) = xs
  def at [n] (cs: p [n]) (x: R.t) = foldr (\c acc -> c R.+ (x R.* acc)) R.zero cs
}

module ip = poly ring_i64
open { def square (x: ring_i64.t) = ring_i64.(x * x) }

local def hidden = ip.mk [1, 2, 3]

module complex = {
  type t = {re: f64, im: f64}
  def mk re im : t = {re, im}
  def (+) (a: t) (b: t) : t = {re = a.re f64.+ b.re, im = a.im f64.+ b.im}
  def norm2 ({re, im}: t) = f64.(re * re + im * im)
}

entry main (x: i64) = (ip.at hidden (square x), complex.(norm2 (mk 1 2 + mk 3 4)))
