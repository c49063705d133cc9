-- Stencils and their neighbours.

-- The game of life on a torus.
entry life [n] [m] (steps: i64) (world: [n][m]u8) : [n][m]u8 =
  let at (w: [n][m]u8) (i: i64) (j: i64) = w[(i + n) % n, (j + m) % m]
  in loop w = world for _k < steps do
       tabulate_2d n m (\i j ->
                          let around =
                            at w (i - 1) (j - 1) + at w (i - 1) j + at w (i - 1) (j + 1) + at w i (j - 1)
                            + at w i (j + 1) + at w (i + 1) (j - 1) + at w (i + 1) j + at w (i + 1) (j + 1)
                          in u8.bool (around == 3 || (around == 2 && w[i, j] == 1)))

-- The same by rotations, of i32.
entry life_rotated [n] [m] (steps: i64) (world: [n][m]i32) : [n][m]i32 =
  let step (w: [n][m]i32) =
    let sides = map (\r -> map3 (\a b c -> a + b + c) (rotate (-1) r) r (rotate 1 r)) w
    let sums = map3 (map3 (\a b c -> a + b + c)) (rotate (-1) sides) sides (rotate 1 sides)
    in map2 (map2 (\s x -> if s == 3 || (s == 4 && x == 1) then 1 else 0)) sums w
  in iterate (i32.i64 steps) step world

-- Heat in a torus, five points.
entry torus [n] [m] (steps: i64) (a: [n][m]f32) : [n][m]f32 =
  loop a for _k < steps do
    tabulate_2d n m (\i j ->
                       let up = a[(i + n - 1) % n, j]
                       let down = a[(i + 1) % n, j]
                       let left = a[i, (j + m - 1) % m]
                       let right = a[i, (j + 1) % m]
                       in a[i, j] + 0.1 * (up + down + left + right - 4 * a[i, j]))

-- The wave equation: the value before goes along.
entry wave [n] [m] (steps: i64) (now: [n][m]f32) (before: [n][m]f32) : [n][m]f32 =
  let (now, _) =
    loop (now, before) for _k < steps do
      let next =
        tabulate_2d n m (\i j ->
                           if i == 0 || j == 0 || i == n - 1 || j == m - 1
                           then 0
                           else 2 * now[i, j] - before[i, j]
                                + 0.2 * (now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1] - 4 * now[i, j]))
      in (next, now)
  in now

-- Reaction and diffusion of pairs, by rotations.
entry reaction [n] [m] (steps: i64) (us: [n][m]f32) (vs: [n][m]f32) : ([n][m]f32, [n][m]f32) =
  let laplace (a: [n][m]f32) =
    let up = rotate (-1) a
    let down = rotate 1 a
    let left = map (rotate (-1)) a
    let right = map (rotate 1) a
    in map5 (map5 (\u d l r x -> u + d + l + r - 4 * x)) up down left right a
  in loop (us, vs) for _k < steps do
       let lu = laplace us
       let lv = laplace vs
       let next =
         map4 (map4 (\u v du dv ->
                       let uvv = u * v * v
                       in (u + 0.16 * du - uvv + 0.06 * (1 - u), v + 0.08 * dv + uvv - 0.122 * v)))
              us vs lu lv
       in unzip (map unzip next)

-- Electric and magnetic fields: two maps in each step.
entry fdtd [n] [m] (steps: i64) (ex: [n][m]f32) (ey: [n][m]f32) (hz: [n][m]f32) : [n][m]f32 =
  let (_, _, hz) =
    loop (ex, ey, hz) for _k < steps do
      let ey = tabulate_2d n m (\i j -> if i == 0 then 0 else ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j]))
      let ex = tabulate_2d n m (\i j -> if j == 0 then ex[i, j] else ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1]))
      let hz =
        tabulate_2d n m (\i j ->
                           if i < n - 1 && j < m - 1
                           then hz[i, j] - 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
                           else hz[i, j])
      in (ex, ey, hz)
  in hz

-- Red and black points in turns.
entry red_black [n] [m] (steps: i64) (a: [n][m]f32) : [n][m]f32 =
  loop a for k < steps do
    tabulate_2d n m (\i j ->
                       if (i + j + k) % 2 == 0 || i == 0 || j == 0 || i == n - 1 || j == m - 1
                       then a[i, j]
                       else 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]))

-- Until it changes little.
entry until_settled [n] [m] (limit: f32) (a: [n][m]f32) : ([n][m]f32, i32) =
  let (a, _, k) =
    loop (a, change, k) = (a, f32.inf, 0i32) while change > limit && k < 40 do
      let b =
        tabulate_2d n m (\i j ->
                           if i == 0 || j == 0 || i == n - 1 || j == m - 1
                           then a[i, j]
                           else 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]))
      let change = f32.maximum (map2 (\x y -> f32.abs (x - y)) (flatten a) (flatten b))
      in (b, change, k + 1)
  in (a, k)

-- Heat in a cube, of rows that are clamped.
entry cube [n] [m] [l] (steps: i64) (a: [n][m][l]f32) : [n][m][l]f32 =
  let at (a: [n][m][l]f32) i j k = #[unsafe] a[i64.max 0 (i64.min (n - 1) i), i64.max 0 (i64.min (m - 1) j), i64.max 0 (i64.min (l - 1) k)]
  in iterate (i32.i64 steps) (\a -> tabulate_3d n m l (\i j k ->
       at a i j k + 0.1 * (at a (i - 1) j k + at a (i + 1) j k + at a i (j - 1) k + at a i (j + 1) k
                           + at a i j (k - 1) + at a i j (k + 1) - 6 * at a i j k))) a

-- The mean of 5 x 5 points, by an array of them.
entry blur [n] [m] (a: [n][m]f32) : [n][m]f32 =
  tabulate_2d n m (\i j ->
                     let xs =
                       tabulate_2d 5 5 (\di dj ->
                                          a[i64.max 0 (i64.min (n - 1) (i + di - 2)), i64.max 0 (i64.min (m - 1) (j + dj - 2))])
                     in f32.sum (flatten xs) / 25)

-- With weights, of any size, without checks.
entry weighted [n] [m] [k] (w: [k][k]f32) (a: [n][m]f32) : [n][m]f32 =
  tabulate_2d n m (\i j ->
                     loop s = 0
                     for di < k do
                       loop s
                       for dj < k do
                         let y = i + di - k / 2
                         let x = j + dj - k / 2
                         in if y >= 0 && y < n && x >= 0 && x < m then #[unsafe] s + w[di, dj] * a[y, x] else s)

-- A vector and a filter.
entry filtered [n] [k] (xs: [n]f32) (ws: [k]f32) : []f32 =
  tabulate (n - k + 1) (\i -> f32.sum (map2 (*) (xs[i:i + k] :> [k]f32) ws))

-- Edges of a picture.
entry sobel [n] [m] (a: [n][m]u8) : [n][m]u8 =
  let at i j = if i >= 0 && i < n && j >= 0 && j < m then i32.u8 a[i, j] else 0
  in tabulate_2d n m (\i j ->
       let gx = at (i - 1) (j + 1) + 2 * at i (j + 1) + at (i + 1) (j + 1) - at (i - 1) (j - 1) - 2 * at i (j - 1) - at (i + 1) (j - 1)
       let gy = at (i + 1) (j - 1) + 2 * at (i + 1) j + at (i + 1) (j + 1) - at (i - 1) (j - 1) - 2 * at (i - 1) j - at (i - 1) (j + 1)
       in u8.i32 (i32.min 255 (i32.abs gx + i32.abs gy)))

-- The largest of 2 x 2 points.
entry pooled [n] [m] (a: [n][m]f32) : [][]f32 =
  tabulate_2d (n / 2) (m / 2) (\i j ->
     f32.maximum (flatten (a[2 * i:2 * i + 2, 2 * j:2 * j + 2] :> [2][2]f32)))

-- A layer of a network: batch, channels, rows, columns.
entry layer_of_filters [b] [c] [n] [m] [o] (xs: [b][c][n][m]f32) (ws: [o][c][3][3]f32) : [b][o][n][m]f32 =
  map (\x ->
         map (\w ->
                tabulate_2d n m (\i j ->
                  f32.sum (map2 (\plane filter ->
                    loop s = 0 for di < 3 do
                      loop s for dj < 3 do
                        let y = i + di - 1
                        let z = j + dj - 1
                        in if y >= 0 && y < n && z >= 0 && z < m then s + plane[y, z] * filter[di, dj] else s) x w)))
             ws)
      xs

entry planes (b: i64) (c: i64) (n: i64) (m: i64) : [b][c][n][m]f32 =
  tabulate b (\h -> tabulate_3d c n m (\i j k -> f32.i64 ((h * 13 + i * 31 + j * 17 + k * 7) % 101) / 101))

-- Twice as many points in each direction, between four of before.
entry larger [n] [m] (a: [n][m]f32) : [][]f32 =
  tabulate_2d (2 * n) (2 * m) (\i j ->
    let y = f32.i64 i / 2
    let x = f32.i64 j / 2
    let i0 = i64.f32 y
    let j0 = i64.f32 x
    let i1 = i64.min (n - 1) (i0 + 1)
    let j1 = i64.min (m - 1) (j0 + 1)
    let fy = y - f32.i64 i0
    let fx = x - f32.i64 j0
    in (1 - fy) * ((1 - fx) * a[i0, j0] + fx * a[i0, j1]) + fy * ((1 - fx) * a[i1, j0] + fx * a[i1, j1]))

-- The median of 3 x 3 points.
entry median [n] [m] (a: [n][m]f32) : [n][m]f32 =
  let at i j = a[i64.max 0 (i64.min (n - 1) i), i64.max 0 (i64.min (m - 1) j)]
  in tabulate_2d n m (\i j ->
       let xs = [at (i - 1) (j - 1), at (i - 1) j, at (i - 1) (j + 1), at i (j - 1), at i j, at i (j + 1),
                 at (i + 1) (j - 1), at (i + 1) j, at (i + 1) (j + 1)]
       let sorted =
         loop xs = copy xs for k < 9 do
           loop xs for l < 8 - k do
             let a = copy xs[l]
             let b = copy xs[l + 1]
             let xs[l] = f32.min a b
             let xs[l + 1] = f32.max a b
             in xs
       in sorted[4])

-- Vectors of radius four that go around.
entry ring [n] (steps: i64) (a: [n]f32) : [n]f32 =
  loop a for _k < steps do
    tabulate n (\i -> 0.2 * a[i] + 0.1 * f32.sum (map (\d -> a[(i + d) % n] + a[(i - d + n) % n]) (1...4)))

-- Neighbours are sorted in turns.
entry odd_even [n] (steps: i64) (a: [n]i32) : [n]i32 =
  loop a for k < steps do
    tabulate n (\i ->
      let other = if (i + k) % 2 == 0 then i + 1 else i - 1
      in if other < 0 || other >= n then a[i]
         else if other > i then i32.min a[i] a[other] else i32.max a[i] a[other])
