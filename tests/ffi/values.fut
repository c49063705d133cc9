-- Values that callers make and take apart: sums, arrays of records with named fields, elements.
type side = #near i32 | #far ([2]i64) | #grid ([3][2]f32) bool

entry weight (s: side) : i64 =
  match s
  case #near a -> i64.i32 a
  case #far b -> b[0] + b[1]
  case #grid g _ -> i64.f32 (f32.sum (flatten g))

entry far (a: i64) : side = #far [a, a + 1]

type point = (f64, f64)

entry lines (n: i64) : [n](point, point) =
  tabulate n (\i -> ((f64.i64 i, 0), (0, f64.i64 i)))

entry table (n: i64) (m: i64) : [n][m]i64 = tabulate_2d n m (\i j -> i * m + j)
