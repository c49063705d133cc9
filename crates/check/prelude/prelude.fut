-- | Everything that is in scope at the start of each file.

open import "functional"
open import "array"
open import "zip"
open import "flat"
open import "soacs"
open import "ad"
open import "math_types"
open import "integers"
open import "floats"

-- | Boolean negation.
#[inline]
def not (x: bool) : bool = !x

-- | A 32-bit integer as a 32-bit float.
#[inline]
def r32 (x: i32) : f32 = f32.i32 x

-- | A 32-bit float truncated to a 32-bit integer.
#[inline]
def t32 (x: f32) : i32 = i32.f32 x

-- | A 32-bit integer as a 64-bit float.
#[inline]
def r64 (x: i32) : f64 = f64.i32 x

-- | A 64-bit float truncated to a 32-bit integer.
#[inline]
def t64 (x: f64) : i32 = i32.f64 x

-- | The value itself, which optimisations do not look through.
def opaque 't (x: t) : t = #[opaque] x

-- | The value itself, printed when it is computed.
def trace 't (x: t) : t = #[trace] x

-- | The value itself; the interpreter stops here.
def break 't (x: t) : t = #[break] x
