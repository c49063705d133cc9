-- Divisions by what is the same for all threads are the same numbers as other divisions: also of zeros, infinities, NaN and
-- numbers of few digits, and by divisors at and beyond the ends of what has an inverse.
-- ==
-- entry: same32
-- input { 3f32 } output { true }
-- input { -7f32 } output { true }
-- input { 10.000001f32 } output { true }
-- input { 1.9999999f32 } output { true }
-- input { 1e-3f32 } output { true }
-- input { 4.2949673e9f32 } output { true }
-- input { 4.3e9f32 } output { true }
-- input { 2.3283064e-10f32 } output { true }
-- input { 2.3e-10f32 } output { true }
-- input { 1e30f32 } output { true }
-- input { 1e-40f32 } output { true }
-- input { 0f32 } output { true }
-- input { -0f32 } output { true }
-- input { f32.inf } output { true }
-- input { f32.nan } output { true }
-- input { 0.1f32 } output { true }

entry same32 (divisor: f32) : bool =
  let xs =
    map (\i -> f32.from_bits (u32.i64 i * 2654435761u32)) (iota 100000)
    ++ [0, -0.0, f32.inf, -f32.inf, f32.nan, 1e-45, -1e-40, f32.highest, 1, 3, 7]
  let equal a b = f32.to_bits a == f32.to_bits b || (f32.isnan a && f32.isnan b)
  let divisors = opaque (map (const divisor) xs)
  in and (map2 equal (opaque (map (/ divisor) xs)) (map2 (/) xs divisors))

-- ==
-- entry: same64
-- input { 3f64 } output { true }
-- input { -7f64 } output { true }
-- input { 1.9999999999999998f64 } output { true }
-- input { 1e-3f64 } output { true }
-- input { 1e60f64 } output { true }
-- input { 1.7e60f64 } output { true }
-- input { 6.3e-61f64 } output { true }
-- input { 6e-61f64 } output { true }
-- input { 1e300f64 } output { true }
-- input { 1e-310f64 } output { true }
-- input { 0f64 } output { true }
-- input { f64.inf } output { true }
-- input { f64.nan } output { true }
-- input { 0.1f64 } output { true }

entry same64 (divisor: f64) : bool =
  let xs =
    map (\i -> f64.from_bits (u64.i64 i * 11400714819323198485u64)) (iota 100000)
    ++ [0, -0.0, f64.inf, -f64.inf, f64.nan, 5e-324, -1e-310, f64.highest, 1, 3, 7]
  let equal a b = f64.to_bits a == f64.to_bits b || (f64.isnan a && f64.isnan b)
  let divisors = opaque (map (const divisor) xs)
  in and (map2 equal (opaque (map (/ divisor) xs)) (map2 (/) xs divisors))

-- Constants.
-- ==
-- entry: constants
-- input { [1f32, -0f32, 5f32, 1e-44f32, f32.inf, 3.4e38f32] } auto output

entry constants (xs: []f32) =
  (map (/ 3) xs, map (/ 0.3) xs, map (/ 4) xs, map (/ 1e30) xs, map (/ 0) xs)
