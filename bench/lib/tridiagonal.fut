-- Solvers of one tridiagonal system: a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i].

-- Forward elimination and backward substitution: least work, sequential.
def thomas [n] (a: [n]f32) (b: [n]f32) (c: [n]f32) (d: [n]f32) : [n]f32 =
  let (upper, y) =
    loop (upper, y) = (replicate n 0, replicate n 0) for i < n do
      let (u, v) = if i == 0 then (0, 0) else (upper[i - 1], y[i - 1])
      let pivot = 1 / (b[i] - a[i] * u)
      in (upper with [i] = c[i] * pivot, y with [i] = (d[i] - a[i] * v) * pivot)
  in loop y for k < n - 1 do
       let i = n - 2 - k
       in y with [i] = y[i] - upper[i] * y[i + 1]

-- A linear function x -> p + q x; composition is associative, so a first-order recurrence is a scan.
type linear = (f32, f32)
def after ((p1, q1): linear) ((p2, q2): linear) : linear = (p2 + q2 * p1, q2 * q1)
def recurrence [n] (fs: [n]linear) : [n]f32 = map (.0) (scan after (0, 1) fs)

-- The pivots u[i] = b[i] - a[i] c[i-1] / u[i-1] are ratios of a matrix recurrence, scaled against overflow.
type mat = (f32, f32, f32, f32)
def product ((a0, a1, a2, a3): mat) ((b0, b1, b2, b3): mat) : mat =
  let s = 1 / (a0 * b0 + a1 * b2)
  in ((b0 * a0 + b1 * a2) * s, (b0 * a1 + b1 * a3) * s, (b2 * a0 + b3 * a2) * s, (b2 * a1 + b3 * a3) * s)

-- The same recurrences as three scans: more work, parallel.
def three_scans [n] (a: [n]f32) (b: [n]f32) (c: [n]f32) (d: [n]f32) : [n]f32 =
  let before xs i = if i == 0 then 0 else xs[i - 1]
  let mats = tabulate n (\i -> if i == 0 then (1, 0, 0, 1) else (b[i], -a[i] * c[i - 1], 1, 0))
  let pivots =
    map (\(m0, m1, m2, m3) -> (m0 * b[0] + m1) / (m2 * b[0] + m3)) (scan product (1, 0, 0, 1) mats)
  let y = recurrence (tabulate n (\i -> (d[i], if i == 0 then 0 else -a[i] / before pivots i)))
  let back = tabulate n (\k -> let i = n - 1 - k in (y[i] / pivots[i], if k == 0 then 0 else -c[i] / pivots[i]))
  in reverse (recurrence back)
