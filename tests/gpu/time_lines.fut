-- Loops over vectors whose iterations are done several at a time, by one kernel: vectors that one block computes and that many do; around the ends;
-- with rows of another array for each iteration; numbers of iterations that are no multiple of what a kernel does.
-- ==
-- entry: clamped given rotated around costs
-- input { 3 5i64 } auto output
-- input { 16 8i64 } auto output
-- input { 17 9i64 } auto output
-- input { 40 10i64 } auto output
-- input { 15 224i64 } auto output
-- input { 33 225i64 } auto output
-- input { 18 1009i64 } auto output

-- ==
-- entry: clamped costs rotated
-- input { 0 600i64 } auto output
-- input { 1 600i64 } auto output
-- input { 2 600i64 } auto output
-- input { -5 600i64 } auto output
-- input { 20 1i64 } auto output
-- input { 20 2i64 } auto output
-- input { 20 0i64 } auto output

-- ==
-- entry: branches rotated_far counted narrow doubles two_vectors small_numbers columns gathered views swapped nested not_wanted
-- input { 7 5i64 } auto output
-- input { 37 700i64 } auto output

-- Not done several at a time.
-- ==
-- entry: mirrored first scalar wave copied far_away own_points in_rows
-- input { 7 5i64 } auto output
-- input { 37 700i64 } auto output

-- A check of one of the iterations.
-- ==
-- entry: beyond
-- input { 3 600i64 } auto output
-- input { 30 600i64 } error: out of bounds

def line (n: i64) : [n]f32 = opaque (tabulate n (\i -> f32.i64 ((i * 31 + 17) % 101)))

def grid (n: i64) (m: i64) : [n][m]f32 =
  opaque (tabulate_2d n m (\i j -> f32.i64 ((i * 31 + j * 17 + i * j) % 101)))

-- All elements count.
def digest [n] (a: [n]f32) : f64 =
  let b = opaque a
  in f64.sum (tabulate n (\i -> f64.f32 b[i] * f64.i64 ((i * 7) % 97)))

def near [n] (a: [n]f32) (i: i64) = a[i64.max 0 (i64.min (n - 1) i)]

entry clamped (steps: i32) (n: i64) : f64 =
  let step [n] (a: [n]f32) = tabulate n (\i -> 0.3 * (a[i] + near a (i - 1) + 1.1 * near a (i + 1)))
  in digest (iterate steps step (line n))

entry given (steps: i32) (n: i64) : f64 =
  let step [n] (a: [n]f32) =
    tabulate n (\i -> if i > 0 && i < n - 1 then 0.4 * (a[i - 1] + 1.2 * a[i + 1]) else f32.i64 i)
  in digest (iterate steps step (line n))

entry rotated (steps: i32) (n: i64) : f64 =
  let step [n] (a: [n]f32) = map3 (\x y z -> 0.3 * x + 0.25 * y + 0.4 * z) (rotate (-1) a) a (rotate 1 a)
  in digest (iterate steps step (line n))

entry around (steps: i32) (n: i64) : f64 =
  let step [n] (a: [n]f32) = tabulate n (\i -> 0.5 * a[(i - 1) % n] + 0.4 * a[(i + 1) % n])
  in digest (iterate steps step (line n))

-- Each iteration has a row of its own.
entry costs (steps: i32) (n: i64) : f64 =
  let count = i64.max 0 (i64.i32 steps)
  let rows = grid (count + 1) n
  in digest (loop a = copy rows[0] for k < count do
               map5 (\i x y z c ->
                       let x = if i > 0 then f32.min x y else y
                       let x = if i < n - 1 then f32.min x z else x
                       in c + x)
                    (iota n) (rotate (-1) a) a (rotate 1 a) rows[k + 1])

entry branches (steps: i32) (n: i64) : f64 =
  let step [n] (a: [n]f32) =
    tabulate n (\i ->
      let left = if i == 0 then 1 else a[i - 1]
      let right = if !(i + 1 < n) then 4 else a[i + 1]
      in 0.5 * (left + 0.5 * right))
  in digest (iterate steps step (line n))

entry rotated_far (steps: i32) (n: i64) : f64 =
  let step [n] (a: [n]f32) = map3 (\x y z -> 0.3 * x + 0.25 * y + 0.4 * z) (rotate (-2) a) a (rotate 2 a)
  in digest (iterate steps step (line n))

entry counted (steps: i32) (n: i64) : f64 =
  digest (loop a = line n for k < steps do
            tabulate n (\i -> 0.5 * (near a (i - 1) + near a (i + 1) + f32.i32 k)))

entry narrow (steps: i32) (n: i64) : f64 =
  digest (loop a = line n for k < i8.i32 steps do
            tabulate n (\i -> 0.5 * (near a (i - 1) + near a (i + 1) + f32.i8 (k / 3))))

entry doubles (steps: i32) (n: i64) : f64 =
  let step [n] (a: [n]f64) = tabulate n (\i -> 0.6 * (a[i] + 0.5 * a[i64.max 0 (i - 1)]))
  in f64.sum (map2 (\i x -> f64.i64 i * x) (iota n) (opaque (iterate steps step (map f64.f32 (line n)))))

entry two_vectors (steps: i32) (n: i64) : f64 =
  let step [n] (u: [n]f32, v: [n]f32) =
    unzip (tabulate n (\i -> (0.5 * (near u (i - 1) + near v i), 0.4 * (near v (i + 1) - 0.1 * near u i))))
  let (u, v) = iterate steps step (line n, opaque (map (+ 1) (line n)))
  in digest u - digest v

entry small_numbers (steps: i32) (n: i64) : i64 =
  let step [n] (a: [n]u8) = tabulate n (\i -> a[i] + 3 * a[i64.max 0 (i - 1)] + 5 * a[i64.min (n - 1) (i + 1)])
  in i64.sum (map2 (\i x -> i * i64.u8 x) (iota n) (opaque (iterate steps step (map u8.f32 (line n)))))

-- Each iteration has a column of its own.
entry columns (steps: i32) (n: i64) : f64 =
  let count = i64.max 0 (i64.i32 steps)
  let table = grid n (count + 1)
  in digest (loop a = copy table[:, 0] for k < count do
               map3 (\x y c -> 0.5 * f32.max x y + 0.3 * c) a (rotate 1 a) table[:, k + 1])

-- What is read of another array depends on what the loop computes.
entry gathered (steps: i32) (n: i64) : f64 =
  let b = opaque (map (* 0.5) (line n))
  let step [n] (b: [n]f32) (a: [n]f32) =
    tabulate n (\i -> 0.4 * (near a (i - 1) + b[i64.f32 (f32.abs a[i]) % n]) + 0.1 * near a (i + 1))
  in digest (iterate steps (step b) (line n))

-- Rows of a part of a matrix, in reverse.
entry views (steps: i32) (n: i64) : f64 =
  let count = i64.max 0 (i64.i32 steps)
  let rows = grid (2 * count + 3) (n + 4)
  in digest (loop a = line n for k < count do
               let row = reverse rows[2 * k + 1, 2:n + 2] :> [n]f32
               in map3 (\x y c -> 0.5 * f32.max x y + 0.3 * c) a (rotate (-1) a) row)

-- What the loop hands on besides changes.
entry swapped (steps: i32) (n: i64) : f64 =
  let (a, x, _) = loop (a, x, y) = (line n, 1, 2) for _k < steps do
    (tabulate n (\i -> 0.5 * (near a (i - 1) + near a (i + 1))), y, x)
  in digest a + x

entry nested (steps: i32) (n: i64) : f64 =
  let step [n] (a: [n]f32) = tabulate n (\i -> 0.3 * (a[i] + near a (i - 1) + 1.1 * near a (i + 1)))
  let a = loop a = line n for k < 3i32 do
    opaque (map (* 1.5) (iterate (steps + k) step a))
  in digest a

entry not_wanted (steps: i32) (n: i64) : f64 =
  let step [n] (a: [n]f32) = #[schedule(points)] tabulate n (\i -> 0.5 * (near a (i + 1) + a[i]))
  in digest (iterate steps step (line n))

entry mirrored (steps: i32) (n: i64) : f64 =
  let step [n] (a: [n]f32) = tabulate n (\i -> 0.5 * (a[n - 1 - i] + near a (i - 1)))
  in digest (iterate steps step (line n))

entry first (steps: i32) (n: i64) : f64 =
  let step [n] (a: [n]f32) = tabulate n (\i -> 0.5 * (a[0] + near a (i - 1)))
  in digest (iterate steps step (line n))

entry scalar (steps: i32) (n: i64) : f64 =
  let (a, _, _) = loop (a, x, y) = (line n, 1, 2) for _k < steps do
    (tabulate n (\i -> 0.5 * (near a (i - 1) + near a (i + 1) + x)), y, x)
  in digest a

entry wave (steps: i32) (n: i64) : f64 =
  let (a, _) = loop (a, before) = (line n, opaque (map (+ 1) (line n))) for _k < steps do
    (tabulate n (\i -> 0.5 * (near a (i - 1) + near a (i + 1)) - 0.25 * before[i]), a)
  in digest a

entry copied (steps: i32) (n: i64) : f64 =
  let (a, b) = loop (a, b) = (line n, opaque (map (+ 1) (line n))) for _k < steps do
    unzip (tabulate n (\i -> (0.5 * (near a (i - 1) + near a (i + 1)) + 0.25 * b[i], b[i] * 0.5)))
  in digest a + digest b

entry far_away (steps: i32) (n: i64) : f64 =
  let step [n] (a: [n]f32) = tabulate n (\i -> 0.5 * (near a (i - 9) + near a (i + 9)))
  in digest (iterate steps step (line n))

entry own_points (steps: i32) (n: i64) : f64 =
  digest (iterate steps (map (\x -> 0.5 * x + 1)) (line n))

-- Every row is computed from the one before, and stays.
entry in_rows (steps: i32) (n: i64) : f64 =
  let count = i64.max 0 (i64.i32 steps)
  let rows = loop rows = copy (grid (count + 1) n) for k < count do
    rows with [k + 1] = tabulate n (\i -> 0.5 * (near rows[k] (i - 1) + near rows[k] (i + 1)) + 0.1 * rows[k + 1, i])
  in f64.sum (map digest rows)

entry beyond (steps: i32) (n: i64) : f64 =
  let rows = grid 20 n
  in digest (loop a = line n for k < steps do
               let row = rows[i64.i32 k]
               in tabulate n (\i -> 0.5 * (near a (i - 1) + row[i])))
