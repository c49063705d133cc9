-- | What the modules of scalar types have in common, and booleans.

-- | Conversion from every scalar type.
module type from_prim = {
  type t
  val i8 : i8 -> t
  val i16 : i16 -> t
  val i32 : i32 -> t
  val i64 : i64 -> t
  val u8 : u8 -> t
  val u16 : u16 -> t
  val u32 : u32 -> t
  val u64 : u64 -> t
  val f16 : f16 -> t
  val f32 : f32 -> t
  val f64 : f64 -> t
  val bool : bool -> t
}

-- | What numbers of all kinds can do.
module type numeric = {
  include from_prim
  val + : t -> t -> t
  val - : t -> t -> t
  val * : t -> t -> t

  -- | Division. Of integers, rounded towards negative infinity.
  val / : t -> t -> t

  -- | Remainder. Of integers, of the division by `/`.
  val % : t -> t -> t

  -- | Power. The exponent of an integer may not be negative.
  val ** : t -> t -> t

  -- | As an `i64`; what it does not hold is cut off.
  val to_i64 : t -> i64

  val == : t -> t -> bool
  val < : t -> t -> bool
  val > : t -> t -> bool
  val <= : t -> t -> bool
  val >= : t -> t -> bool
  val != : t -> t -> bool

  -- | The number with the other sign.
  val neg : t -> t

  -- | The greater of two.
  val max : t -> t -> t

  -- | The lesser of two.
  val min : t -> t -> t

  -- | The absolute value.
  val abs : t -> t

  -- | The sign: -1, 0 or 1.
  val sgn : t -> t

  -- | The greatest value.
  val highest : t

  -- | The least value.
  val lowest : t

  -- | The sum of all elements.
  val sum [n] : [n]t -> t

  -- | The product of all elements.
  val product [n] : [n]t -> t

  -- | The greatest element, or `lowest`.
  val maximum [n] : [n]t -> t

  -- | The least element, or `highest`.
  val minimum [n] : [n]t -> t
}

-- | What integers can do.
module type integral = {
  include numeric

  -- | Division rounded towards zero.
  val // : t -> t -> t

  -- | Remainder of the division by `//`.
  val %% : t -> t -> t
  val & : t -> t -> t
  val | : t -> t -> t
  val ^ : t -> t -> t

  -- | Each bit inverted.
  val not : t -> t
  val << : t -> t -> t

  -- | Shift to the right, with copies of the highest bit coming in; also for unsigned types, where `>>`
  -- outside of modules lets zeros in.
  val >> : t -> t -> t

  -- | Shift to the right, with zeros coming in.
  val >>> : t -> t -> t
  val num_bits : i32

  -- | Bit number `i`, where bit 0 is worth 1.
  val get_bit : i32 -> t -> i32

  -- | The number with one of its bits set to 0 or 1.
  val set_bit : i32 -> t -> i32 -> t

  -- | How many bits are 1.
  val popc : t -> i32

  -- | The upper half of the product.
  val mul_hi : (x: t) -> (y: t) -> t

  -- | `mul_hi a b + c`.
  val mad_hi : (a: t) -> (b: t) -> (c: t) -> t

  -- | How many bits before the highest 1.
  val clz : t -> i32

  -- | How many bits after the lowest 1.
  val ctz : t -> i32
}

-- | What approximations of real numbers can do.
module type real = {
  include numeric

  -- | One divided by the number.
  val recip : t -> t

  -- | The quotient of two integers.
  val from_fraction : i64 -> i64 -> t
  val to_i64 : t -> i64
  val to_f64 : t -> f64

  -- | The square root.
  val sqrt : t -> t

  -- | One divided by the square root.
  val rsqrt : t -> t

  -- | The cube root.
  val cbrt : t -> t

  -- | The exponential function.
  val exp : t -> t

  -- | The sine, of radians.
  val sin : t -> t

  -- | The cosine, of radians.
  val cos : t -> t

  -- | The tangent, of radians.
  val tan : t -> t

  -- | `sin (pi * x)`, and so on for the others that end in `pi`.
  val sinpi : t -> t
  val cospi : t -> t
  val tanpi : t -> t
  val asin : t -> t
  val acos : t -> t
  val atan : t -> t
  val asinpi : t -> t
  val acospi : t -> t
  val atanpi : t -> t
  val sinh : t -> t
  val cosh : t -> t
  val tanh : t -> t
  val asinh : t -> t
  val acosh : t -> t
  val atanh : t -> t

  -- | The angle of the point (x, y): `atan2 y x`.
  val atan2 : t -> t -> t
  val atan2pi : t -> t -> t

  -- | The distance of the point from the origin.
  val hypot : t -> t -> t

  -- | The gamma function.
  val gamma : t -> t

  -- | The logarithm of the absolute value of `gamma`.
  val lgamma : t -> t

  -- | The error function.
  val erf : t -> t

  -- | One minus the error function.
  val erfc : t -> t

  -- | `lerp a b x` is the point between `a` and `b` where `x` of the way is done.
  val lerp : t -> t -> t -> t

  -- | The natural logarithm.
  val log : t -> t

  -- | The logarithm to the base 2.
  val log2 : t -> t

  -- | The logarithm to the base 10.
  val log10 : t -> t

  -- | `log (1 + x)`, exact for small numbers too.
  val log1p : t -> t

  -- | The next integer above.
  val ceil : t -> t

  -- | The next integer below.
  val floor : t -> t

  -- | The next integer towards zero.
  val trunc : t -> t

  -- | The nearest integer; halves go to the even one.
  val round : t -> t

  -- | `a * b + c`, rounded as is fastest.
  val mad : (a: t) -> (b: t) -> (c: t) -> t

  -- | `a * b + c`, rounded once.
  val fma : (a: t) -> (b: t) -> (c: t) -> t

  -- | Whether it is infinite, of either sign.
  val isinf : t -> bool

  -- | Whether it is no number.
  val isnan : t -> bool

  val inf : t
  val nan : t
  val pi : t
  val e : t
}

-- | What floating-point numbers can do.
module type float = {
  include real

  -- | The unsigned integers of the same width.
  type int_t

  -- | The float of these bits.
  val from_bits : int_t -> t

  -- | The bits of a float.
  val to_bits : t -> int_t
  val num_bits : i32
  val get_bit : i32 -> t -> i32
  val set_bit : i32 -> t -> i32 -> t

  -- | The distance from 1 to the next greater number.
  val epsilon : t

  -- | The next number after `x` in the direction of `y`.
  val nextafter : (x: t) -> (y: t) -> t

  -- | `x` times two to the power `n`.
  val ldexp : t -> i32 -> t

  -- | The magnitude of `x` with the sign of `y`.
  val copysign : (x: t) -> (y: t) -> t
}
