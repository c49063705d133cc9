-- | Booleans and integers: one module for each type, named as the type. What they offer is
-- described by the module types `from_prim` and `integral`.

-- | Booleans.
module bool = {
  type t = bool
  def i8 (x: i8) : bool = intrinsics.convert x
  def i16 (x: i16) : bool = intrinsics.convert x
  def i32 (x: i32) : bool = intrinsics.convert x
  def i64 (x: i64) : bool = intrinsics.convert x
  def u8 (x: u8) : bool = intrinsics.convert x
  def u16 (x: u16) : bool = intrinsics.convert x
  def u32 (x: u32) : bool = intrinsics.convert x
  def u64 (x: u64) : bool = intrinsics.convert x
  def f16 (x: f16) : bool = intrinsics.convert x
  def f32 (x: f32) : bool = intrinsics.convert x
  def f64 (x: f64) : bool = intrinsics.convert x
  def bool (x: bool) : bool = x
}

-- | Signed integers of 8 bits: `integral`@mtype@"math_types" says what it offers.
module i8 = {
  type t = i8
  def i8 (x: i8) : i8 = x
  def i16 (x: i16) : i8 = intrinsics.convert x
  def i32 (x: i32) : i8 = intrinsics.convert x
  def i64 (x: i64) : i8 = intrinsics.convert x
  def u8 (x: u8) : i8 = intrinsics.convert x
  def u16 (x: u16) : i8 = intrinsics.convert x
  def u32 (x: u32) : i8 = intrinsics.convert x
  def u64 (x: u64) : i8 = intrinsics.convert x
  def f16 (x: f16) : i8 = intrinsics.convert x
  def f32 (x: f32) : i8 = intrinsics.convert x
  def f64 (x: f64) : i8 = intrinsics.convert x
  def bool (x: bool) : i8 = intrinsics.convert x
  def (+) (x: i8) (y: i8) : i8 = x intrinsics.+ y
  def (-) (x: i8) (y: i8) : i8 = x intrinsics.- y
  def (*) (x: i8) (y: i8) : i8 = x intrinsics.* y
  def (/) (x: i8) (y: i8) : i8 = x intrinsics./ y
  def (%) (x: i8) (y: i8) : i8 = x intrinsics.% y
  def (**) (x: i8) (y: i8) : i8 = x intrinsics.** y
  def to_i64 (x: i8) : i64 = intrinsics.convert x
  def (==) (x: i8) (y: i8) : bool = x intrinsics.== y
  def (<) (x: i8) (y: i8) : bool = x intrinsics.< y
  def (>) (x: i8) (y: i8) : bool = x intrinsics.> y
  def (<=) (x: i8) (y: i8) : bool = x intrinsics.<= y
  def (>=) (x: i8) (y: i8) : bool = x intrinsics.>= y
  def (!=) (x: i8) (y: i8) : bool = x intrinsics.!= y
  def neg (x: i8) : i8 = -x
  def max (x: i8) (y: i8) : i8 = intrinsics.max x y
  def min (x: i8) (y: i8) : i8 = intrinsics.min x y
  def abs (x: i8) : i8 = intrinsics.abs x
  def sgn (x: i8) : i8 = intrinsics.sgn x
  def highest : i8 = 127i8
  def lowest : i8 = -127i8 intrinsics.- 1i8
  def sum [n] (xs: [n]i8) : i8 = intrinsics.reduce (\x y -> x intrinsics.+ y) 0i8 xs
  def product [n] (xs: [n]i8) : i8 = intrinsics.reduce (\x y -> x intrinsics.* y) 1i8 xs
  def maximum [n] (xs: [n]i8) : i8 = intrinsics.reduce (\x y -> intrinsics.max x y) lowest xs
  def minimum [n] (xs: [n]i8) : i8 = intrinsics.reduce (\x y -> intrinsics.min x y) highest xs
  def (//) (x: i8) (y: i8) : i8 = x intrinsics.// y
  def (%%) (x: i8) (y: i8) : i8 = x intrinsics.%% y
  def (&) (x: i8) (y: i8) : i8 = x intrinsics.& y
  def (|) (x: i8) (y: i8) : i8 = x intrinsics.| y
  def (^) (x: i8) (y: i8) : i8 = x intrinsics.^ y
  def not (x: i8) : i8 = !x
  def (<<) (x: i8) (y: i8) : i8 = x intrinsics.<< y
  def (>>) (x: i8) (y: i8) : i8 = x intrinsics.>> y
  def (>>>) (x: i8) (y: i8) : i8 = x intrinsics.>>> y
  def num_bits : i32 = 8
  def get_bit (bit: i32) (x: i8) : i32 = intrinsics.convert ((x intrinsics.>> (i32 bit)) intrinsics.& 1i8)
  def set_bit (bit: i32) (x: i8) (b: i32) : i8 =
    (x intrinsics.& !(1i8 intrinsics.<< (i32 bit))) intrinsics.| ((i32 b) intrinsics.<< (i32 bit))
  def popc (x: i8) : i32 = intrinsics.popc x
  def mul_hi (x: i8) (y: i8) : i8 = intrinsics.mul_hi x y
  def mad_hi (a: i8) (b: i8) (c: i8) : i8 = intrinsics.mad_hi a b c
  def clz (x: i8) : i32 = intrinsics.clz x
  def ctz (x: i8) : i32 = intrinsics.ctz x
}

-- | Signed integers of 16 bits: `integral`@mtype@"math_types" says what it offers.
module i16 = {
  type t = i16
  def i8 (x: i8) : i16 = intrinsics.convert x
  def i16 (x: i16) : i16 = x
  def i32 (x: i32) : i16 = intrinsics.convert x
  def i64 (x: i64) : i16 = intrinsics.convert x
  def u8 (x: u8) : i16 = intrinsics.convert x
  def u16 (x: u16) : i16 = intrinsics.convert x
  def u32 (x: u32) : i16 = intrinsics.convert x
  def u64 (x: u64) : i16 = intrinsics.convert x
  def f16 (x: f16) : i16 = intrinsics.convert x
  def f32 (x: f32) : i16 = intrinsics.convert x
  def f64 (x: f64) : i16 = intrinsics.convert x
  def bool (x: bool) : i16 = intrinsics.convert x
  def (+) (x: i16) (y: i16) : i16 = x intrinsics.+ y
  def (-) (x: i16) (y: i16) : i16 = x intrinsics.- y
  def (*) (x: i16) (y: i16) : i16 = x intrinsics.* y
  def (/) (x: i16) (y: i16) : i16 = x intrinsics./ y
  def (%) (x: i16) (y: i16) : i16 = x intrinsics.% y
  def (**) (x: i16) (y: i16) : i16 = x intrinsics.** y
  def to_i64 (x: i16) : i64 = intrinsics.convert x
  def (==) (x: i16) (y: i16) : bool = x intrinsics.== y
  def (<) (x: i16) (y: i16) : bool = x intrinsics.< y
  def (>) (x: i16) (y: i16) : bool = x intrinsics.> y
  def (<=) (x: i16) (y: i16) : bool = x intrinsics.<= y
  def (>=) (x: i16) (y: i16) : bool = x intrinsics.>= y
  def (!=) (x: i16) (y: i16) : bool = x intrinsics.!= y
  def neg (x: i16) : i16 = -x
  def max (x: i16) (y: i16) : i16 = intrinsics.max x y
  def min (x: i16) (y: i16) : i16 = intrinsics.min x y
  def abs (x: i16) : i16 = intrinsics.abs x
  def sgn (x: i16) : i16 = intrinsics.sgn x
  def highest : i16 = 32767i16
  def lowest : i16 = -32767i16 intrinsics.- 1i16
  def sum [n] (xs: [n]i16) : i16 = intrinsics.reduce (\x y -> x intrinsics.+ y) 0i16 xs
  def product [n] (xs: [n]i16) : i16 = intrinsics.reduce (\x y -> x intrinsics.* y) 1i16 xs
  def maximum [n] (xs: [n]i16) : i16 = intrinsics.reduce (\x y -> intrinsics.max x y) lowest xs
  def minimum [n] (xs: [n]i16) : i16 = intrinsics.reduce (\x y -> intrinsics.min x y) highest xs
  def (//) (x: i16) (y: i16) : i16 = x intrinsics.// y
  def (%%) (x: i16) (y: i16) : i16 = x intrinsics.%% y
  def (&) (x: i16) (y: i16) : i16 = x intrinsics.& y
  def (|) (x: i16) (y: i16) : i16 = x intrinsics.| y
  def (^) (x: i16) (y: i16) : i16 = x intrinsics.^ y
  def not (x: i16) : i16 = !x
  def (<<) (x: i16) (y: i16) : i16 = x intrinsics.<< y
  def (>>) (x: i16) (y: i16) : i16 = x intrinsics.>> y
  def (>>>) (x: i16) (y: i16) : i16 = x intrinsics.>>> y
  def num_bits : i32 = 16
  def get_bit (bit: i32) (x: i16) : i32 = intrinsics.convert ((x intrinsics.>> (i32 bit)) intrinsics.& 1i16)
  def set_bit (bit: i32) (x: i16) (b: i32) : i16 =
    (x intrinsics.& !(1i16 intrinsics.<< (i32 bit))) intrinsics.| ((i32 b) intrinsics.<< (i32 bit))
  def popc (x: i16) : i32 = intrinsics.popc x
  def mul_hi (x: i16) (y: i16) : i16 = intrinsics.mul_hi x y
  def mad_hi (a: i16) (b: i16) (c: i16) : i16 = intrinsics.mad_hi a b c
  def clz (x: i16) : i32 = intrinsics.clz x
  def ctz (x: i16) : i32 = intrinsics.ctz x
}

-- | Signed integers of 32 bits: `integral`@mtype@"math_types" says what it offers.
module i32 = {
  type t = i32
  def i8 (x: i8) : i32 = intrinsics.convert x
  def i16 (x: i16) : i32 = intrinsics.convert x
  def i32 (x: i32) : i32 = x
  def i64 (x: i64) : i32 = intrinsics.convert x
  def u8 (x: u8) : i32 = intrinsics.convert x
  def u16 (x: u16) : i32 = intrinsics.convert x
  def u32 (x: u32) : i32 = intrinsics.convert x
  def u64 (x: u64) : i32 = intrinsics.convert x
  def f16 (x: f16) : i32 = intrinsics.convert x
  def f32 (x: f32) : i32 = intrinsics.convert x
  def f64 (x: f64) : i32 = intrinsics.convert x
  def bool (x: bool) : i32 = intrinsics.convert x
  def (+) (x: i32) (y: i32) : i32 = x intrinsics.+ y
  def (-) (x: i32) (y: i32) : i32 = x intrinsics.- y
  def (*) (x: i32) (y: i32) : i32 = x intrinsics.* y
  def (/) (x: i32) (y: i32) : i32 = x intrinsics./ y
  def (%) (x: i32) (y: i32) : i32 = x intrinsics.% y
  def (**) (x: i32) (y: i32) : i32 = x intrinsics.** y
  def to_i64 (x: i32) : i64 = intrinsics.convert x
  def (==) (x: i32) (y: i32) : bool = x intrinsics.== y
  def (<) (x: i32) (y: i32) : bool = x intrinsics.< y
  def (>) (x: i32) (y: i32) : bool = x intrinsics.> y
  def (<=) (x: i32) (y: i32) : bool = x intrinsics.<= y
  def (>=) (x: i32) (y: i32) : bool = x intrinsics.>= y
  def (!=) (x: i32) (y: i32) : bool = x intrinsics.!= y
  def neg (x: i32) : i32 = -x
  def max (x: i32) (y: i32) : i32 = intrinsics.max x y
  def min (x: i32) (y: i32) : i32 = intrinsics.min x y
  def abs (x: i32) : i32 = intrinsics.abs x
  def sgn (x: i32) : i32 = intrinsics.sgn x
  def highest : i32 = 2147483647i32
  def lowest : i32 = -2147483647i32 intrinsics.- 1i32
  def sum [n] (xs: [n]i32) : i32 = intrinsics.reduce (\x y -> x intrinsics.+ y) 0i32 xs
  def product [n] (xs: [n]i32) : i32 = intrinsics.reduce (\x y -> x intrinsics.* y) 1i32 xs
  def maximum [n] (xs: [n]i32) : i32 = intrinsics.reduce (\x y -> intrinsics.max x y) lowest xs
  def minimum [n] (xs: [n]i32) : i32 = intrinsics.reduce (\x y -> intrinsics.min x y) highest xs
  def (//) (x: i32) (y: i32) : i32 = x intrinsics.// y
  def (%%) (x: i32) (y: i32) : i32 = x intrinsics.%% y
  def (&) (x: i32) (y: i32) : i32 = x intrinsics.& y
  def (|) (x: i32) (y: i32) : i32 = x intrinsics.| y
  def (^) (x: i32) (y: i32) : i32 = x intrinsics.^ y
  def not (x: i32) : i32 = !x
  def (<<) (x: i32) (y: i32) : i32 = x intrinsics.<< y
  def (>>) (x: i32) (y: i32) : i32 = x intrinsics.>> y
  def (>>>) (x: i32) (y: i32) : i32 = x intrinsics.>>> y
  def num_bits : i32 = 32
  def get_bit (bit: i32) (x: i32) : i32 = intrinsics.convert ((x intrinsics.>> bit) intrinsics.& 1i32)
  def set_bit (bit: i32) (x: i32) (b: i32) : i32 =
    (x intrinsics.& !(1i32 intrinsics.<< bit)) intrinsics.| (b intrinsics.<< bit)
  def popc (x: i32) : i32 = intrinsics.popc x
  def mul_hi (x: i32) (y: i32) : i32 = intrinsics.mul_hi x y
  def mad_hi (a: i32) (b: i32) (c: i32) : i32 = intrinsics.mad_hi a b c
  def clz (x: i32) : i32 = intrinsics.clz x
  def ctz (x: i32) : i32 = intrinsics.ctz x
}

-- | Signed integers of 64 bits: `integral`@mtype@"math_types" says what it offers.
module i64 = {
  type t = i64
  def i8 (x: i8) : i64 = intrinsics.convert x
  def i16 (x: i16) : i64 = intrinsics.convert x
  def i32 (x: i32) : i64 = intrinsics.convert x
  def i64 (x: i64) : i64 = x
  def u8 (x: u8) : i64 = intrinsics.convert x
  def u16 (x: u16) : i64 = intrinsics.convert x
  def u32 (x: u32) : i64 = intrinsics.convert x
  def u64 (x: u64) : i64 = intrinsics.convert x
  def f16 (x: f16) : i64 = intrinsics.convert x
  def f32 (x: f32) : i64 = intrinsics.convert x
  def f64 (x: f64) : i64 = intrinsics.convert x
  def bool (x: bool) : i64 = intrinsics.convert x
  def (+) (x: i64) (y: i64) : i64 = x intrinsics.+ y
  def (-) (x: i64) (y: i64) : i64 = x intrinsics.- y
  def (*) (x: i64) (y: i64) : i64 = x intrinsics.* y
  def (/) (x: i64) (y: i64) : i64 = x intrinsics./ y
  def (%) (x: i64) (y: i64) : i64 = x intrinsics.% y
  def (**) (x: i64) (y: i64) : i64 = x intrinsics.** y
  def to_i64 (x: i64) : i64 = x
  def (==) (x: i64) (y: i64) : bool = x intrinsics.== y
  def (<) (x: i64) (y: i64) : bool = x intrinsics.< y
  def (>) (x: i64) (y: i64) : bool = x intrinsics.> y
  def (<=) (x: i64) (y: i64) : bool = x intrinsics.<= y
  def (>=) (x: i64) (y: i64) : bool = x intrinsics.>= y
  def (!=) (x: i64) (y: i64) : bool = x intrinsics.!= y
  def neg (x: i64) : i64 = -x
  def max (x: i64) (y: i64) : i64 = intrinsics.max x y
  def min (x: i64) (y: i64) : i64 = intrinsics.min x y
  def abs (x: i64) : i64 = intrinsics.abs x
  def sgn (x: i64) : i64 = intrinsics.sgn x
  def highest : i64 = 9223372036854775807i64
  def lowest : i64 = -9223372036854775807i64 intrinsics.- 1i64
  def sum [n] (xs: [n]i64) : i64 = intrinsics.reduce (\x y -> x intrinsics.+ y) 0i64 xs
  def product [n] (xs: [n]i64) : i64 = intrinsics.reduce (\x y -> x intrinsics.* y) 1i64 xs
  def maximum [n] (xs: [n]i64) : i64 = intrinsics.reduce (\x y -> intrinsics.max x y) lowest xs
  def minimum [n] (xs: [n]i64) : i64 = intrinsics.reduce (\x y -> intrinsics.min x y) highest xs
  def (//) (x: i64) (y: i64) : i64 = x intrinsics.// y
  def (%%) (x: i64) (y: i64) : i64 = x intrinsics.%% y
  def (&) (x: i64) (y: i64) : i64 = x intrinsics.& y
  def (|) (x: i64) (y: i64) : i64 = x intrinsics.| y
  def (^) (x: i64) (y: i64) : i64 = x intrinsics.^ y
  def not (x: i64) : i64 = !x
  def (<<) (x: i64) (y: i64) : i64 = x intrinsics.<< y
  def (>>) (x: i64) (y: i64) : i64 = x intrinsics.>> y
  def (>>>) (x: i64) (y: i64) : i64 = x intrinsics.>>> y
  def num_bits : i32 = 64
  def get_bit (bit: i32) (x: i64) : i32 = intrinsics.convert ((x intrinsics.>> (i32 bit)) intrinsics.& 1i64)
  def set_bit (bit: i32) (x: i64) (b: i32) : i64 =
    (x intrinsics.& !(1i64 intrinsics.<< (i32 bit))) intrinsics.| ((i32 b) intrinsics.<< (i32 bit))
  def popc (x: i64) : i32 = intrinsics.popc x
  def mul_hi (x: i64) (y: i64) : i64 = intrinsics.mul_hi x y
  def mad_hi (a: i64) (b: i64) (c: i64) : i64 = intrinsics.mad_hi a b c
  def clz (x: i64) : i32 = intrinsics.clz x
  def ctz (x: i64) : i32 = intrinsics.ctz x
}

-- | Unsigned integers of 8 bits: `integral`@mtype@"math_types" says what it offers.
module u8 = {
  type t = u8
  def i8 (x: i8) : u8 = intrinsics.convert x
  def i16 (x: i16) : u8 = intrinsics.convert x
  def i32 (x: i32) : u8 = intrinsics.convert x
  def i64 (x: i64) : u8 = intrinsics.convert x
  def u8 (x: u8) : u8 = x
  def u16 (x: u16) : u8 = intrinsics.convert x
  def u32 (x: u32) : u8 = intrinsics.convert x
  def u64 (x: u64) : u8 = intrinsics.convert x
  def f16 (x: f16) : u8 = intrinsics.convert x
  def f32 (x: f32) : u8 = intrinsics.convert x
  def f64 (x: f64) : u8 = intrinsics.convert x
  def bool (x: bool) : u8 = intrinsics.convert x
  def (+) (x: u8) (y: u8) : u8 = x intrinsics.+ y
  def (-) (x: u8) (y: u8) : u8 = x intrinsics.- y
  def (*) (x: u8) (y: u8) : u8 = x intrinsics.* y
  def (/) (x: u8) (y: u8) : u8 = x intrinsics./ y
  def (%) (x: u8) (y: u8) : u8 = x intrinsics.% y
  def (**) (x: u8) (y: u8) : u8 = x intrinsics.** y
  def to_i64 (x: u8) : i64 = intrinsics.convert x
  def (==) (x: u8) (y: u8) : bool = x intrinsics.== y
  def (<) (x: u8) (y: u8) : bool = x intrinsics.< y
  def (>) (x: u8) (y: u8) : bool = x intrinsics.> y
  def (<=) (x: u8) (y: u8) : bool = x intrinsics.<= y
  def (>=) (x: u8) (y: u8) : bool = x intrinsics.>= y
  def (!=) (x: u8) (y: u8) : bool = x intrinsics.!= y
  def neg (x: u8) : u8 = -x
  def max (x: u8) (y: u8) : u8 = intrinsics.max x y
  def min (x: u8) (y: u8) : u8 = intrinsics.min x y
  def abs (x: u8) : u8 = intrinsics.abs x
  def sgn (x: u8) : u8 = intrinsics.sgn x
  def highest : u8 = 255u8
  def lowest : u8 = 0u8
  def sum [n] (xs: [n]u8) : u8 = intrinsics.reduce (\x y -> x intrinsics.+ y) 0u8 xs
  def product [n] (xs: [n]u8) : u8 = intrinsics.reduce (\x y -> x intrinsics.* y) 1u8 xs
  def maximum [n] (xs: [n]u8) : u8 = intrinsics.reduce (\x y -> intrinsics.max x y) lowest xs
  def minimum [n] (xs: [n]u8) : u8 = intrinsics.reduce (\x y -> intrinsics.min x y) highest xs
  def (//) (x: u8) (y: u8) : u8 = x intrinsics.// y
  def (%%) (x: u8) (y: u8) : u8 = x intrinsics.%% y
  def (&) (x: u8) (y: u8) : u8 = x intrinsics.& y
  def (|) (x: u8) (y: u8) : u8 = x intrinsics.| y
  def (^) (x: u8) (y: u8) : u8 = x intrinsics.^ y
  def not (x: u8) : u8 = !x
  def (<<) (x: u8) (y: u8) : u8 = x intrinsics.<< y
  -- Programs of this language get the sign bit shifted in here, and zeros by the `>>` outside of modules.
  def (>>) (x: u8) (y: u8) : u8 =
    intrinsics.convert ((intrinsics.convert x : i8) intrinsics.>> (intrinsics.convert y : i8))
  def (>>>) (x: u8) (y: u8) : u8 = x intrinsics.>>> y
  def num_bits : i32 = 8
  def get_bit (bit: i32) (x: u8) : i32 = intrinsics.convert ((x intrinsics.>> (i32 bit)) intrinsics.& 1u8)
  def set_bit (bit: i32) (x: u8) (b: i32) : u8 =
    (x intrinsics.& !(1u8 intrinsics.<< (i32 bit))) intrinsics.| ((i32 b) intrinsics.<< (i32 bit))
  def popc (x: u8) : i32 = intrinsics.popc x
  def mul_hi (x: u8) (y: u8) : u8 = intrinsics.mul_hi x y
  def mad_hi (a: u8) (b: u8) (c: u8) : u8 = intrinsics.mad_hi a b c
  def clz (x: u8) : i32 = intrinsics.clz x
  def ctz (x: u8) : i32 = intrinsics.ctz x
}

-- | Unsigned integers of 16 bits: `integral`@mtype@"math_types" says what it offers.
module u16 = {
  type t = u16
  def i8 (x: i8) : u16 = intrinsics.convert x
  def i16 (x: i16) : u16 = intrinsics.convert x
  def i32 (x: i32) : u16 = intrinsics.convert x
  def i64 (x: i64) : u16 = intrinsics.convert x
  def u8 (x: u8) : u16 = intrinsics.convert x
  def u16 (x: u16) : u16 = x
  def u32 (x: u32) : u16 = intrinsics.convert x
  def u64 (x: u64) : u16 = intrinsics.convert x
  def f16 (x: f16) : u16 = intrinsics.convert x
  def f32 (x: f32) : u16 = intrinsics.convert x
  def f64 (x: f64) : u16 = intrinsics.convert x
  def bool (x: bool) : u16 = intrinsics.convert x
  def (+) (x: u16) (y: u16) : u16 = x intrinsics.+ y
  def (-) (x: u16) (y: u16) : u16 = x intrinsics.- y
  def (*) (x: u16) (y: u16) : u16 = x intrinsics.* y
  def (/) (x: u16) (y: u16) : u16 = x intrinsics./ y
  def (%) (x: u16) (y: u16) : u16 = x intrinsics.% y
  def (**) (x: u16) (y: u16) : u16 = x intrinsics.** y
  def to_i64 (x: u16) : i64 = intrinsics.convert x
  def (==) (x: u16) (y: u16) : bool = x intrinsics.== y
  def (<) (x: u16) (y: u16) : bool = x intrinsics.< y
  def (>) (x: u16) (y: u16) : bool = x intrinsics.> y
  def (<=) (x: u16) (y: u16) : bool = x intrinsics.<= y
  def (>=) (x: u16) (y: u16) : bool = x intrinsics.>= y
  def (!=) (x: u16) (y: u16) : bool = x intrinsics.!= y
  def neg (x: u16) : u16 = -x
  def max (x: u16) (y: u16) : u16 = intrinsics.max x y
  def min (x: u16) (y: u16) : u16 = intrinsics.min x y
  def abs (x: u16) : u16 = intrinsics.abs x
  def sgn (x: u16) : u16 = intrinsics.sgn x
  def highest : u16 = 65535u16
  def lowest : u16 = 0u16
  def sum [n] (xs: [n]u16) : u16 = intrinsics.reduce (\x y -> x intrinsics.+ y) 0u16 xs
  def product [n] (xs: [n]u16) : u16 = intrinsics.reduce (\x y -> x intrinsics.* y) 1u16 xs
  def maximum [n] (xs: [n]u16) : u16 = intrinsics.reduce (\x y -> intrinsics.max x y) lowest xs
  def minimum [n] (xs: [n]u16) : u16 = intrinsics.reduce (\x y -> intrinsics.min x y) highest xs
  def (//) (x: u16) (y: u16) : u16 = x intrinsics.// y
  def (%%) (x: u16) (y: u16) : u16 = x intrinsics.%% y
  def (&) (x: u16) (y: u16) : u16 = x intrinsics.& y
  def (|) (x: u16) (y: u16) : u16 = x intrinsics.| y
  def (^) (x: u16) (y: u16) : u16 = x intrinsics.^ y
  def not (x: u16) : u16 = !x
  def (<<) (x: u16) (y: u16) : u16 = x intrinsics.<< y
  -- Programs of this language get the sign bit shifted in here, and zeros by the `>>` outside of modules.
  def (>>) (x: u16) (y: u16) : u16 =
    intrinsics.convert ((intrinsics.convert x : i16) intrinsics.>> (intrinsics.convert y : i16))
  def (>>>) (x: u16) (y: u16) : u16 = x intrinsics.>>> y
  def num_bits : i32 = 16
  def get_bit (bit: i32) (x: u16) : i32 = intrinsics.convert ((x intrinsics.>> (i32 bit)) intrinsics.& 1u16)
  def set_bit (bit: i32) (x: u16) (b: i32) : u16 =
    (x intrinsics.& !(1u16 intrinsics.<< (i32 bit))) intrinsics.| ((i32 b) intrinsics.<< (i32 bit))
  def popc (x: u16) : i32 = intrinsics.popc x
  def mul_hi (x: u16) (y: u16) : u16 = intrinsics.mul_hi x y
  def mad_hi (a: u16) (b: u16) (c: u16) : u16 = intrinsics.mad_hi a b c
  def clz (x: u16) : i32 = intrinsics.clz x
  def ctz (x: u16) : i32 = intrinsics.ctz x
}

-- | Unsigned integers of 32 bits: `integral`@mtype@"math_types" says what it offers.
module u32 = {
  type t = u32
  def i8 (x: i8) : u32 = intrinsics.convert x
  def i16 (x: i16) : u32 = intrinsics.convert x
  def i32 (x: i32) : u32 = intrinsics.convert x
  def i64 (x: i64) : u32 = intrinsics.convert x
  def u8 (x: u8) : u32 = intrinsics.convert x
  def u16 (x: u16) : u32 = intrinsics.convert x
  def u32 (x: u32) : u32 = x
  def u64 (x: u64) : u32 = intrinsics.convert x
  def f16 (x: f16) : u32 = intrinsics.convert x
  def f32 (x: f32) : u32 = intrinsics.convert x
  def f64 (x: f64) : u32 = intrinsics.convert x
  def bool (x: bool) : u32 = intrinsics.convert x
  def (+) (x: u32) (y: u32) : u32 = x intrinsics.+ y
  def (-) (x: u32) (y: u32) : u32 = x intrinsics.- y
  def (*) (x: u32) (y: u32) : u32 = x intrinsics.* y
  def (/) (x: u32) (y: u32) : u32 = x intrinsics./ y
  def (%) (x: u32) (y: u32) : u32 = x intrinsics.% y
  def (**) (x: u32) (y: u32) : u32 = x intrinsics.** y
  def to_i64 (x: u32) : i64 = intrinsics.convert x
  def (==) (x: u32) (y: u32) : bool = x intrinsics.== y
  def (<) (x: u32) (y: u32) : bool = x intrinsics.< y
  def (>) (x: u32) (y: u32) : bool = x intrinsics.> y
  def (<=) (x: u32) (y: u32) : bool = x intrinsics.<= y
  def (>=) (x: u32) (y: u32) : bool = x intrinsics.>= y
  def (!=) (x: u32) (y: u32) : bool = x intrinsics.!= y
  def neg (x: u32) : u32 = -x
  def max (x: u32) (y: u32) : u32 = intrinsics.max x y
  def min (x: u32) (y: u32) : u32 = intrinsics.min x y
  def abs (x: u32) : u32 = intrinsics.abs x
  def sgn (x: u32) : u32 = intrinsics.sgn x
  def highest : u32 = 4294967295u32
  def lowest : u32 = 0u32
  def sum [n] (xs: [n]u32) : u32 = intrinsics.reduce (\x y -> x intrinsics.+ y) 0u32 xs
  def product [n] (xs: [n]u32) : u32 = intrinsics.reduce (\x y -> x intrinsics.* y) 1u32 xs
  def maximum [n] (xs: [n]u32) : u32 = intrinsics.reduce (\x y -> intrinsics.max x y) lowest xs
  def minimum [n] (xs: [n]u32) : u32 = intrinsics.reduce (\x y -> intrinsics.min x y) highest xs
  def (//) (x: u32) (y: u32) : u32 = x intrinsics.// y
  def (%%) (x: u32) (y: u32) : u32 = x intrinsics.%% y
  def (&) (x: u32) (y: u32) : u32 = x intrinsics.& y
  def (|) (x: u32) (y: u32) : u32 = x intrinsics.| y
  def (^) (x: u32) (y: u32) : u32 = x intrinsics.^ y
  def not (x: u32) : u32 = !x
  def (<<) (x: u32) (y: u32) : u32 = x intrinsics.<< y
  -- Programs of this language get the sign bit shifted in here, and zeros by the `>>` outside of modules.
  def (>>) (x: u32) (y: u32) : u32 =
    intrinsics.convert ((intrinsics.convert x : i32) intrinsics.>> (intrinsics.convert y : i32))
  def (>>>) (x: u32) (y: u32) : u32 = x intrinsics.>>> y
  def num_bits : i32 = 32
  def get_bit (bit: i32) (x: u32) : i32 = intrinsics.convert ((x intrinsics.>> (i32 bit)) intrinsics.& 1u32)
  def set_bit (bit: i32) (x: u32) (b: i32) : u32 =
    (x intrinsics.& !(1u32 intrinsics.<< (i32 bit))) intrinsics.| ((i32 b) intrinsics.<< (i32 bit))
  def popc (x: u32) : i32 = intrinsics.popc x
  def mul_hi (x: u32) (y: u32) : u32 = intrinsics.mul_hi x y
  def mad_hi (a: u32) (b: u32) (c: u32) : u32 = intrinsics.mad_hi a b c
  def clz (x: u32) : i32 = intrinsics.clz x
  def ctz (x: u32) : i32 = intrinsics.ctz x
}

-- | Unsigned integers of 64 bits: `integral`@mtype@"math_types" says what it offers.
module u64 = {
  type t = u64
  def i8 (x: i8) : u64 = intrinsics.convert x
  def i16 (x: i16) : u64 = intrinsics.convert x
  def i32 (x: i32) : u64 = intrinsics.convert x
  def i64 (x: i64) : u64 = intrinsics.convert x
  def u8 (x: u8) : u64 = intrinsics.convert x
  def u16 (x: u16) : u64 = intrinsics.convert x
  def u32 (x: u32) : u64 = intrinsics.convert x
  def u64 (x: u64) : u64 = x
  def f16 (x: f16) : u64 = intrinsics.convert x
  def f32 (x: f32) : u64 = intrinsics.convert x
  def f64 (x: f64) : u64 = intrinsics.convert x
  def bool (x: bool) : u64 = intrinsics.convert x
  def (+) (x: u64) (y: u64) : u64 = x intrinsics.+ y
  def (-) (x: u64) (y: u64) : u64 = x intrinsics.- y
  def (*) (x: u64) (y: u64) : u64 = x intrinsics.* y
  def (/) (x: u64) (y: u64) : u64 = x intrinsics./ y
  def (%) (x: u64) (y: u64) : u64 = x intrinsics.% y
  def (**) (x: u64) (y: u64) : u64 = x intrinsics.** y
  def to_i64 (x: u64) : i64 = intrinsics.convert x
  def (==) (x: u64) (y: u64) : bool = x intrinsics.== y
  def (<) (x: u64) (y: u64) : bool = x intrinsics.< y
  def (>) (x: u64) (y: u64) : bool = x intrinsics.> y
  def (<=) (x: u64) (y: u64) : bool = x intrinsics.<= y
  def (>=) (x: u64) (y: u64) : bool = x intrinsics.>= y
  def (!=) (x: u64) (y: u64) : bool = x intrinsics.!= y
  def neg (x: u64) : u64 = -x
  def max (x: u64) (y: u64) : u64 = intrinsics.max x y
  def min (x: u64) (y: u64) : u64 = intrinsics.min x y
  def abs (x: u64) : u64 = intrinsics.abs x
  def sgn (x: u64) : u64 = intrinsics.sgn x
  def highest : u64 = 18446744073709551615u64
  def lowest : u64 = 0u64
  def sum [n] (xs: [n]u64) : u64 = intrinsics.reduce (\x y -> x intrinsics.+ y) 0u64 xs
  def product [n] (xs: [n]u64) : u64 = intrinsics.reduce (\x y -> x intrinsics.* y) 1u64 xs
  def maximum [n] (xs: [n]u64) : u64 = intrinsics.reduce (\x y -> intrinsics.max x y) lowest xs
  def minimum [n] (xs: [n]u64) : u64 = intrinsics.reduce (\x y -> intrinsics.min x y) highest xs
  def (//) (x: u64) (y: u64) : u64 = x intrinsics.// y
  def (%%) (x: u64) (y: u64) : u64 = x intrinsics.%% y
  def (&) (x: u64) (y: u64) : u64 = x intrinsics.& y
  def (|) (x: u64) (y: u64) : u64 = x intrinsics.| y
  def (^) (x: u64) (y: u64) : u64 = x intrinsics.^ y
  def not (x: u64) : u64 = !x
  def (<<) (x: u64) (y: u64) : u64 = x intrinsics.<< y
  -- Programs of this language get the sign bit shifted in here, and zeros by the `>>` outside of modules.
  def (>>) (x: u64) (y: u64) : u64 =
    intrinsics.convert ((intrinsics.convert x : i64) intrinsics.>> (intrinsics.convert y : i64))
  def (>>>) (x: u64) (y: u64) : u64 = x intrinsics.>>> y
  def num_bits : i32 = 64
  def get_bit (bit: i32) (x: u64) : i32 = intrinsics.convert ((x intrinsics.>> (i32 bit)) intrinsics.& 1u64)
  def set_bit (bit: i32) (x: u64) (b: i32) : u64 =
    (x intrinsics.& !(1u64 intrinsics.<< (i32 bit))) intrinsics.| ((i32 b) intrinsics.<< (i32 bit))
  def popc (x: u64) : i32 = intrinsics.popc x
  def mul_hi (x: u64) (y: u64) : u64 = intrinsics.mul_hi x y
  def mad_hi (a: u64) (b: u64) (c: u64) : u64 = intrinsics.mad_hi a b c
  def clz (x: u64) : i32 = intrinsics.clz x
  def ctz (x: u64) : i32 = intrinsics.ctz x
}
