-- Scalar arithmetic at the edges.
-- ==
-- entry: divisions
-- input { 7i32 -2i32 } output { -4i32 -1i32 -3i32 1i32 }
-- input { -2147483648i32 -1i32 } output { -2147483648i32 0i32 -2147483648i32 0i32 }
-- input { 1i32 0i32 } error: division by zero

entry divisions (x: i32) (y: i32) = (x / y, x % y, x // y, x %% y)

-- ==
-- entry: conversions
-- input { 300i32 -1.5 } output { 44u8 44i8 -1i32 true }
-- input { -1i32 0.0 } output { 255u8 -1i8 0i32 false }

entry conversions (x: i32) (y: f64) = (u8.i32 x, i8.i32 x, i32.f64 y, bool.f64 y)

-- ==
-- entry: powers
-- input { 3i64 5i64 } output { 243i64 }
-- input { 3i64 -1i64 } error: negative exponent

entry powers (x: i64) (y: i64) = x ** y

-- ==
-- entry: halves
-- input { 1.0f16 0.0004f16 } output { 1.0f16 }

entry halves (x: f16) (y: f16) = x + y

-- ==
-- entry: far_conversions
-- input { 3e9 } output { -2147483648i32 3000000000u32 3000000000i64 0i16 }
-- input { -1e30 } output { -2147483648i32 0u32 -9223372036854775808i64 0i16 }
-- input { f64.nan } output { 0i32 0u32 0i64 0i16 }
-- input { -f64.inf } output { 0i32 0u32 0i64 0i16 }

entry far_conversions (x: f64) = (i32.f64 x, u32.f64 x, i64.f64 x, i16.f64 x)

-- Through modules, unsigned numbers shift as signed ones do.
-- ==
-- entry: shifts
-- input { 18446744073709551615u64 25u64 } output { 18446744073709551615u64 549755813887u64 549755813887u64 255u8 }
-- input { 255u64 2u64 } output { 63u64 63u64 63u64 255u8 }

entry shifts (x: u64) (y: u64) = (x u64.>> y, x >> y, x u64.>>> y, u8.u64 x u8.>> u8.u64 y)
