-- Loops of stencils whose iterations are done several at a time, by one kernel: arrays that one block computes and that many do, with blocks far
-- from all edges; numbers of steps that are no multiple of what a kernel does. The tuning file makes it pay for all sizes.
-- ==
-- entry: clamped corners given branches chosen
-- input { 3 5i64 7i64 } auto output
-- input { 4 1i64 1i64 } auto output
-- input { 5 1i64 509i64 } auto output
-- input { 9 70i64 3i64 } auto output
-- input { 8 150i64 520i64 } auto output
-- input { 7 33i64 1009i64 } auto output

-- ==
-- entry: clamped
-- input { 0 40i64 600i64 } auto output
-- input { 1 40i64 600i64 } auto output
-- input { -5 40i64 600i64 } auto output
-- input { 6 0i64 600i64 } auto output
-- input { 6 40i64 0i64 } auto output

-- ==
-- entry: doubles far_doubles far_along_rows far_along_columns rhs rhs_around beside cases two_arrays small_numbers nested
-- input { 7 5i64 7i64 } auto output
-- input { 9 210i64 520i64 } auto output

-- Around the edges, and with the number of the iteration: with one block, many blocks, and sides that are shorter than what a block reads beyond its own.
-- ==
-- entry: torus cylinder rotated far_torus square_torus chosen_around torus_of_two counted red_black of_row
-- input { 7 5i64 7i64 } auto output
-- input { 4 9i64 9i64 } auto output
-- input { 5 9i64 509i64 } auto output
-- input { 9 70i64 10i64 } auto output
-- input { 8 150i64 520i64 } auto output
-- input { 7 33i64 1009i64 } auto output
-- input { 0 33i64 40i64 } auto output
-- input { 9 0i64 40i64 } auto output

-- A row that does not exist.
-- ==
-- entry: of_row
-- input { 13 20i64 30i64 } error: out of bounds

-- Not done several at a time.
-- ==
-- entry: mirrored first_row scalar swapped wave own_points copied far_away life
-- input { 7 5i64 7i64 } auto output
-- input { 9 70i64 600i64 } auto output

-- ==
-- entry: beyond
-- input { 0 5i64 7i64 } auto output
-- input { 9 5i64 7i64 } error: out of bounds

-- ==
-- entry: asked_for not_wanted
-- input { 9 70i64 600i64 } auto output

def grid (n: i64) (m: i64) : [n][m]f32 =
  opaque (tabulate_2d n m (\i j -> f32.i64 ((i * 31 + j * 17 + i * j) % 101)))

-- All elements count.
def digest [n] [m] (a: [n][m]f32) : f64 =
  let b = opaque a
  in f64.sum (flatten (tabulate_2d n m (\i j -> f64.f32 b[i, j] * f64.i64 ((i * 7 + j * 13) % 97))))

def clamp [n] [m] (a: [n][m]f32) : [n][m]f32 =
  tabulate_2d n m (\i j ->
    0.2 * (a[i, j] + a[i64.max 0 (i - 1), j] + a[i64.min (n - 1) (i + 1), j]
           + 0.5 * a[i, i64.max 0 (j - 1)] + a[i, i64.min (m - 1) (j + 1)]))

entry clamped (steps: i32) (n: i64) (m: i64) : f64 = digest (iterate steps clamp (grid n m))

-- Elements at the edges stay as they are; others read all around.
entry corners (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j ->
      if i == 0 || j == 0 || i == n - 1 || j == m - 1 then a[i, j]
      else 0.1 * (2 * a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]
                  + a[i - 1, j - 1] + 0.5 * a[i - 1, j + 1] + a[i + 1, j - 1] + a[i + 1, j + 1]))
  in digest (iterate steps step (grid n m))

-- Elements at the edges are given.
entry given (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j ->
      if i > 0 && i < n - 1 && j > 0 && j < m - 1
      then 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
      else f32.i64 (i - j))
  in digest (iterate steps step (grid n m))

-- Elements beyond the edges are given.
entry branches (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j ->
      let up = if i == 0 then 1 else a[i - 1, j]
      let down = if i < n - 1 then a[i + 1, j] else 2
      let left = if j >= 1 && i != n - 1 then a[i, j - 1] else 3
      let right = if !(j + 1 < m) then 4 else a[i, j + 1]
      in 0.25 * (up + 0.5 * down + left + right))
  in digest (iterate steps step (grid n m))

-- Indices are chosen by branches.
entry chosen (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j ->
      let up = if i > 0 then i - 1 else 0
      let down = if i == n - 1 then i else i + 1
      let left = if j == 0 then 0 else j - 1
      let right = if j < m - 1 then j + 1 else m - 1
      in 0.25 * (a[up, j] + 0.5 * a[down, j] + a[i, left] + a[i, right]))
  in digest (iterate steps step (grid n m))

entry doubles (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f64) =
    tabulate_2d n m (\i j -> 0.3 * (a[i, j] + a[i64.max 0 (i - 1), j] + a[i, i64.min (m - 1) (j + 1)]))
  let b = opaque (iterate steps step (map (map f64.f32) (grid n m)))
  in f64.sum (map2 (\i row -> f64.i64 i * f64.sum row) (iota n) b)

def near [n] [m] (a: [n][m]f32) (i: i64) (j: i64) = a[i64.max 0 (i64.min (n - 1) i), i64.max 0 (i64.min (m - 1) j)]

entry far_along_rows (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j -> 0.3 * (near a i (j - 2) + near a i (j + 1) + 0.5 * near a i j))
  in digest (iterate steps step (grid n m))

-- There is room in shared memory for two steps.
entry far_doubles (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f64) =
    tabulate_2d n m (\i j -> 0.3 * (a[i, j] + a[i64.max 0 (i - 2), j] + a[i, i64.min (m - 1) (j + 2)]))
  let b = opaque (iterate steps step (map (map f64.f32) (grid n m)))
  in f64.sum (map2 (\i row -> f64.i64 i * f64.sum row) (iota n) b)

entry far_along_columns (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j -> 0.3 * (near a (i - 2) j + near a (i + 2) j + 0.5 * near a i (j - 1)))
  in digest (iterate steps step (grid n m))

entry far_away (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j -> 0.3 * (near a (i - 4) (j - 4) + near a (i + 4) (j + 4) + 0.5 * near a i j))
  in digest (iterate steps step (grid n m))

entry rhs (steps: i32) (n: i64) (m: i64) : f64 =
  let b = opaque (map (map (* 0.5)) (grid n m))
  let step [n] [m] (b: [n][m]f32) (a: [n][m]f32) =
    tabulate_2d n m (\i j -> 0.25 * (b[i, j] + near a (i - 1) j + near a (i + 1) j + near a i (j - 1)))
  in digest (iterate steps (step b) (grid n m))

-- The second array is read at neighbours, and one of its rows by all.
entry rhs_around (steps: i32) (n: i64) (m: i64) : f64 =
  let b = opaque (map (map (* 0.5)) (grid n m))
  let step [n] [m] (b: [n][m]f32) (a: [n][m]f32) =
    tabulate_2d n m (\i j -> 0.2 * (near b (i + 7) (j - 9) + near b 0 j + near a (i - 1) j + near a i (j + 1)))
  in digest (iterate steps (step b) (grid n m))

-- Other arrays that are read at the point itself: of other types, of another shape, in branches, and more than there are registers for.
entry beside (steps: i32) (n: i64) (m: i64) : f64 =
  let b = opaque (map (map (* 0.5)) (grid n m))
  let c = opaque (map (map (\x -> f64.f32 x * 0.01)) (grid n m))
  let d = opaque (grid (n + 3) (m + 2))
  let e = opaque (map (map u8.f32) (grid n m))
  let step [n] [m] b c (d: [][]f32) (e: [n][m]u8) (a: [n][m]f32) =
    #[unsafe]
    tabulate_2d n m (\i j ->
      let x = if b[i, j] > 20 then f32.f64 c[i, j] + b[i, j] else d[i, j]
      in 0.2 * (x + f32.u8 e[i, j] + near a (i - 1) j + near a (i + 1) j + 0.5 * near a i (j - 1) + near b (i + 1) j))
  in digest (iterate steps (step b c d e) (grid n m))

-- Points at edges and corners are computed in ways of their own, by divisions.
entry cases (steps: i32) (n: i64) (m: i64) : f64 =
  let (rx, ry) = (f32.i64 n + 0.7, f32.i64 m + 0.3)
  let b = opaque (map (map (* 0.5)) (grid n m))
  let step [n] [m] (b: [n][m]f32) (a: [n][m]f32) =
    #[unsafe]
    tabulate_2d n m (\i j ->
      let at = a[i, j]
      in at + 0.5 * (b[i, j]
                     + (if i == 0 && j == 0 then 1 / rx
                        else if i == 0 then (a[i, j - 1] - at) / rx
                        else if j == 0 then (a[i - 1, j] - at) / ry
                        else if i == n - 1 && j == m - 1 then (a[i, j - 1] + a[i - 1, j]) / rx
                        else if i == n - 1 then (a[i - 1, j] - at) / ry
                        else if j == m - 1 then (a[i, j - 1] - at) / rx
                        else (a[i, j + 1] + a[i, j - 1] - 2 * at) / rx + (a[i + 1, j] + a[i - 1, j] - 2 * at) / ry)
                     + (80 - at) / 3))
  in digest (iterate steps (step b) (grid n m))

-- Two arrays, each of which reads both.
entry two_arrays (steps: i32) (n: i64) (m: i64) : f64 =
  let around a i j = 0.2 * (near a (i - 1) j + near a (i + 1) j + near a i (j - 1) + near a i (j + 1))
  let step [n] [m] (u: [n][m]f32, v: [n][m]f32) =
    let both = tabulate_2d n m (\i j ->
      let (x, y) = (around u i j, around v i j)
      in (x + 0.01 * v[i, j], y - 0.02 * u[i, j]))
    in unzip (map unzip both) |> \(a, b) -> (a, b)
  let (u, v) = iterate steps step (grid n m, opaque (map (map (+ 1)) (grid n m)))
  in digest u - digest v

-- A cell is a byte, for which there is too much to compute.
entry life (steps: i32) (n: i64) (m: i64) : i64 =
  let step [n] [m] (a: [n][m]bool) =
    tabulate_2d n m (\i j ->
      let at y x = i32.bool (if i + y >= 0 && i + y < n && j + x >= 0 && j + x < m then a[i + y, j + x] else false)
      let around = at (-1) (-1) + at (-1) 0 + at (-1) 1 + at 0 (-1) + at 0 1 + at 1 (-1) + at 1 0 + at 1 1
      in around == 3 || (around == 2 && a[i, j]))
  let b = opaque (iterate steps step (map (map (\x -> x % 3 < 1.5)) (grid n m)))
  in i64.sum (map2 (\i row -> i * i64.sum (map i64.bool row)) (iota n) b)

entry small_numbers (steps: i32) (n: i64) (m: i64) : i64 =
  let step [n] [m] (a: [n][m]u8) =
    tabulate_2d n m (\i j -> a[i, j] + 3 * a[i64.max 0 (i - 1), j] + 5 * a[i, i64.min (m - 1) (j + 1)])
  let b = opaque (iterate steps step (map (map u8.f32) (grid n m)))
  in i64.sum (map2 (\i row -> i * i64.sum (map i64.u8 row)) (iota n) b)

-- A loop of such loops.
entry nested (steps: i32) (n: i64) (m: i64) : f64 =
  let a = loop a = grid n m for k < 3i32 do
    let b = iterate (steps + k) clamp a
    in opaque (map (map (* 1.5)) b)
  in digest a

entry torus (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j ->
      0.25 * (a[(i - 1) % n, j] + 0.5 * a[(i + 1) % n, j] + a[i, (j - 1) % m] + a[i, (j + 1) % m]))
  in digest (iterate steps step (grid n m))

-- Around in one direction, with an edge in the other.
entry cylinder (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j ->
      let up = if i == 0 then 1 else a[i - 1, j]
      in 0.25 * (up + 0.5 * a[i64.min (n - 1) (i + 1), j] + a[i, (j + m - 1) % m] + a[i, (j + 1) % m]))
  in digest (iterate steps step (grid n m))

entry rotated (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    let (up, down) = (rotate (-1) a, rotate 1 a)
    let (left, right) = (map (rotate (-1)) a, map (rotate 1) a)
    in map5 (map5 (\u d l r x -> 0.2 * (u + 0.5 * d + l + 0.75 * r + x))) up down left right a
  in digest (iterate steps step (grid n m))

entry far_torus (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j ->
      0.25 * (a[(i - 2) % n, j] + 0.5 * a[(i + 1) % n, (j + 2) % m] + a[i, (j - 1) % m] + a[i, j]))
  in digest (iterate steps step (grid n m))

-- Branches choose the other edge.
entry chosen_around (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j ->
      let up = if i > 0 then i - 1 else n - 1
      let down = if i == n - 1 then i else i + 1
      let left = if j == 0 then m - 1 else j - 1
      let right = if j + 1 < m then j + 1 else 0
      in 0.25 * (a[up, j] + 0.5 * a[down, j] + a[i, left] + a[i, right]))
  in digest (iterate steps step (grid n m))

-- Rows and columns have the same size.
entry square_torus (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] (a: [n][n]f32) =
    tabulate_2d n n (\i j ->
      0.25 * (a[(i - 1) % n, j] + 0.5 * a[(i + 1) % n, (j + 1) % n] + a[i, (j - 1) % n]))
  in digest (iterate steps step (grid (i64.min n 200 + m % 2) (i64.min n 200 + m % 2)))

-- Waves go through two arrays, around both edges; another array does not change.
entry torus_of_two (steps: i32) (n: i64) (m: i64) : f64 =
  let c = opaque (map (map (* 0.01)) (grid n m))
  let at [n] [m] (a: [n][m]f32) (i: i64) (j: i64) = a[(i + n) % n, (j + m) % m]
  let (u, v) = loop (u, v) = (grid n m, opaque (map (map (+ 1)) (grid n m))) for _k < steps do
    unzip (map unzip (tabulate_2d n m (\i j ->
      (0.3 * (at u (i - 1) j + at u (i + 1) j - at v i j + c[i, j]), 0.2 * (at v i (j - 1) + at v i (j + 1) + at u i j)))))
  in digest u - digest v

-- Every other point in turns.
entry red_black (steps: i32) (n: i64) (m: i64) : f64 =
  digest (loop a = grid n m for k < steps do
            let turn = i64.i32 k % 2
            in tabulate_2d n m (\i j ->
                 if (i + j) % 2 == turn then a[i, j] else 0.3 * (near a (i - 1) j + near a (i + 1) j + near a i (j - 1) + near a i (j + 1))))

-- A row of another array for each iteration.
entry of_row (steps: i32) (n: i64) (m: i64) : f64 =
  let costs = opaque (grid 12 m)
  in digest (loop a = grid n m for k < steps do
               let row = costs[k]
               in tabulate_2d n m (\i j -> 0.3 * (near a (i - 1) j + near a i (j + 1) + row[j])))

entry mirrored (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j -> 0.5 * (a[n - 1 - i, j] + a[i, i64.max 0 (j - 1)]))
  in digest (iterate steps step (grid n m))

entry first_row (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) =
    tabulate_2d n m (\i j -> 0.5 * (a[0, j] + a[i, i64.max 0 (j - 1)]))
  in digest (iterate steps step (grid n m))

entry counted (steps: i32) (n: i64) (m: i64) : f64 =
  digest (loop a = grid n m for k < steps do
            tabulate_2d n m (\i j -> 0.5 * (near a (i - 1) j + near a i (j + 1) + f32.i32 k)))

entry scalar (steps: i32) (n: i64) (m: i64) : f64 =
  let (a, _, _) = loop (a, x, y) = (grid n m, 1, 2) for _k < steps do
    (tabulate_2d n m (\i j -> 0.5 * (near a (i - 1) j + near a i (j + 1) + x)), y, x)
  in digest a

-- What the loop hands on besides changes.
entry swapped (steps: i32) (n: i64) (m: i64) : f64 =
  let (a, x, _) = loop (a, x, y) = (grid n m, 1, 2) for _k < steps do (clamp a, y, x)
  in digest a + x

-- The step before is read as well.
entry wave (steps: i32) (n: i64) (m: i64) : f64 =
  let (a, _) = loop (a, before) = (grid n m, opaque (map (map (+ 1)) (grid n m))) for _k < steps do
    (tabulate_2d n m (\i j -> 0.5 * (near a (i - 1) j + near a i (j + 1)) - 0.25 * before[i, j]), a)
  in digest a

entry own_points (steps: i32) (n: i64) (m: i64) : f64 =
  digest (iterate steps (map (map (\x -> 0.5 * x + 1))) (grid n m))

-- One of two arrays is only read at its own point, so that its results may be in its own memory.
entry copied (steps: i32) (n: i64) (m: i64) : f64 =
  let (a, b) = loop (a, b) = (grid n m, opaque (map (map (+ 1)) (grid n m))) for _k < steps do
    unzip (map unzip (tabulate_2d n m (\i j -> (0.5 * (near a (i - 1) j + near a i (j + 1)) + 0.25 * b[i, j], b[i, j] * 0.5))))
  in digest a + digest b

entry beyond (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) = tabulate_2d n m (\i j -> 0.5 * (a[i + 1, j] + a[i, j]))
  in digest (iterate steps step (grid n m))

entry asked_for (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) = #[schedule(steps)] tabulate_2d n m (\i j -> 0.5 * (near a (i + 1) j + a[i, j]))
  in digest (iterate steps step (grid n m))

entry not_wanted (steps: i32) (n: i64) (m: i64) : f64 =
  let step [n] [m] (a: [n][m]f32) = #[schedule(points)] tabulate_2d n m (\i j -> 0.5 * (near a (i + 1) j + a[i, j]))
  in digest (iterate steps step (grid n m))
