-- Algorithms of steps, records and state, as textbooks have them.

entry floyd_warshall [n] (d: [n][n]f32) : [n][n]f32 =
  loop d for k < n do tabulate_2d n n (\i j -> f32.min d[i, j] (d[i, k] + d[k, j]))

entry floyd_maps [n] (d: [n][n]i32) : [n][n]i32 =
  loop d for k < n do map (\r -> map2 (\x y -> i32.min x (r[k] + y)) r d[k]) d

-- Gauss-Jordan of a matrix with a right side.
entry gauss [n] [m] (a: [n][m]f32) : [n][m]f32 =
  let a = tabulate_2d n m (\i j -> if i == j then a[i, j] + f32.i64 n else a[i, j])
  in loop a for k < n do
       let pivot = map (/ a[k, k]) a[k]
       in map2 (\i r -> if i == k then pivot else map2 (\x p -> x - r[k] * p) r pivot) (iota n) a

-- With a search for the pivot.
entry gauss_pivot [n] [m] (a: [n][m]f32) : [n][m]f32 =
  loop a for k < n do
    let (p, _) =
      reduce_comm (\(i, x) (j, y) -> if x > y || (x == y && i < j) then (i, x) else (j, y)) (i64.highest, -1)
                  (map (\i -> if i < k then (i, -1) else (i, f32.abs a[i, k])) (iota n))
    let row = map (/ a[p, k]) a[p]
    let old = copy a[k]
    in map2 (\i r ->
               if i == k then row
               else let r = if i == p then old else r in map2 (\x y -> x - r[k] * y) r row)
            (iota n) a

entry lu [n] (a: [n][n]f32) : [n][n]f32 =
  let a = tabulate_2d n n (\i j -> if i == j then a[i, j] + f32.i64 n else a[i, j])
  in loop a for k < n do
       tabulate_2d n n (\i j ->
                          if i <= k || j < k then a[i, j]
                          else if j == k then a[i, k] / a[k, k]
                          else a[i, j] - a[i, k] / a[k, k] * a[k, j])

entry cholesky [n] (a: [n][n]f32) : [n][n]f32 =
  let a = tabulate_2d n n (\i j -> if i == j then f32.i64 n else (a[i, j] + a[j, i]) / 2)
  in loop a for k < n do
       let d = f32.sqrt a[k, k]
       let column = map (\i -> if i < k then 0 else if i == k then d else a[i, k] / d) (iota n)
       in tabulate_2d n n (\i j ->
            if j == k then column[i] else if i > k && j > k then a[i, j] - column[i] * column[j] else a[i, j])

-- Tridiagonal systems, one for each row, by two loops.
entry thomas [n] [m] (as: [n][m]f32) (bs: [n][m]f32) (cs: [n][m]f32) (ds: [n][m]f32) : [n][m]f32 =
  map4 (\a b c d ->
          let (cp, dp) =
            loop (cp, dp) = (replicate m 0, replicate m 0) for i < m do
              let pc = if i == 0 then 0 else cp[i - 1]
              let pd = if i == 0 then 0 else dp[i - 1]
              let w = b[i] + 3 - a[i] * pc
              in (cp with [i] = c[i] / w, dp with [i] = (d[i] - a[i] * pd) / w)
          in loop x = replicate m 0 for k < m do
               let i = m - 1 - k
               in x with [i] = (if i == m - 1 then dp[i] else dp[i] - cp[i] * x[i + 1]))
       as bs cs ds

-- The best value of each weight, item by item.
entry knapsack [k] (w: i64) (weights: [k]i64) (values: [k]i32) : i32 =
  last (loop best = replicate (w + 1) 0 for t < k do
          let wt = weights[t]
          let v = values[t]
          in tabulate (w + 1) (\j -> if j >= wt then i32.max best[j] (best[j - wt] + v) else best[j]))

-- The distance of two words, along diagonals.
entry edit_distance [n] [m] (xs: [n]u8) (ys: [m]u8) : i32 =
  let (last, _) =
    loop (now, before) = (replicate (n + 1) 0i32, replicate (n + 1) 0i32)
    for d < n + m + 1 do
      let next =
        tabulate (n + 1) (\i ->
          let j = d - i
          in if j < 0 || j > m then 0
             else if i == 0 then i32.i64 j
             else if j == 0 then i32.i64 i
             else i32.min (1 + i32.min now[i] now[i - 1]) (before[i - 1] + (if xs[i - 1] == ys[j - 1] then 0 else 1)))
      in (next, now)
  in last[n]

-- Queens: a thread for the first two rows, then a loop with a stack of masks.
entry queens (n: i64) : i64 =
  let all = (1i32 << i32.i64 n) - 1
  let count (a: i64) (b: i64) : i64 =
    let p = 1i32 << i32.i64 a
    let q = 1i32 << i32.i64 b
    let cols = p | q
    let dl = ((p << 1) | q) << 1
    let dr = ((p >> 1) | q) >> 1
    in if q & (p | (p << 1) | (p >> 1)) != 0 then 0
       else
         let m = 20i64
         let (_, _, _, _, _, found) =
           loop (cs, ls, rs, free, depth, found) =
             (replicate m 0i32 with [0] = cols, replicate m 0i32 with [0] = dl, replicate m 0i32 with [0] = dr,
              replicate m 0i32 with [0] = all & !(cols | dl | dr), 0i64, 0i64)
           while depth >= 0 do
             if free[depth] == 0 then (cs, ls, rs, free, depth - 1, found)
             else
               let bit = free[depth] & (-free[depth])
               let free = free with [depth] = free[depth] ^ bit
               let c = cs[depth] | bit
               let l = (ls[depth] | bit) << 1
               let r = (rs[depth] | bit) >> 1
               in if c == all then (cs, ls, rs, free, depth, found + 1)
                  else (cs with [depth + 1] = c, ls with [depth + 1] = l, rs with [depth + 1] = r,
                        free with [depth + 1] = all & !(c | l | r), depth + 1, found)
         in found
  in i64.sum (map (\k -> count (k / n) (k % n)) (iota (n * n)))

type rng = {state: u64}
def next (r: rng) : (rng, f32) =
  let s = r.state * 6364136223846793005 + 1442695040888963407
  in ({state = s}, f32.u64 (s >> 40) / 16777216)

entry pi (threads: i64) (each: i64) : f64 =
  let inside =
    map (\i ->
           let (_, hits) =
             loop (r: rng, hits) = ({state = u64.i64 i * 7919 + 1}, 0i64) for _k < each do
               let (r, x) = next r
               let (r, y) = next r
               in (r, hits + i64.bool (x * x + y * y < 1))
           in hits)
        (iota threads)
  in 4 * f64.i64 (i64.sum inside) / f64.i64 (threads * each)

-- Walks of prices, whose every step is stored.
entry walks (n: i64) (m: i64) : [n][m]f32 =
  map (\i ->
         let (_, _, path) =
           loop (r: rng, x, path) = ({state = u64.i64 i * 7919 + 1}, 100f32, replicate m 0f32) for k < m do
             let (r, u) = next r
             let x = x * (1 + 0.02 * (u - 0.5))
             in (r, x, path with [k] = x)
         in path)
      (iota n)

-- Discrete Fourier transform of 2^k numbers.
entry fft [n] (k: i64) (re: [n]f32) (im: [n]f32) : ([n]f32, [n]f32) =
  let (re, im, _, _) =
    loop (re, im, ns, s) = (re, im, 1i64, 0i64) while s < k do
      let point (i: i64) =
        let half = n / 2
        let lane = i % half
        let angle = -2 * f32.pi * f32.i64 (lane % ns) / f32.i64 (2 * ns)
        let (ar, ai) = (re[lane], im[lane])
        let (br, bi) = (re[lane + half], im[lane + half])
        let (c, d) = (f32.cos angle, f32.sin angle)
        let (tr, ti) = (br * c - bi * d, br * d + bi * c)
        in if i < half then (ar + tr, ai + ti) else (ar - tr, ai - ti)
      let place (i: i64) =
        let half = n / 2
        let lane = i % half
        let low = lane % ns
        let to = (lane / ns) * ns * 2 + low
        in if i < half then to else to + ns
      let vs = map point (iota n)
      let is = map place (iota n)
      let (re, im) = unzip (scatter (replicate n (0, 0)) is vs)
      in (re, im, ns * 2, s + 1)
  in (re, im)

-- Many transforms of short rows.
entry fft_rows [n] [m] (k: i64) (re: [n][m]f32) (im: [n][m]f32) : ([n][m]f32, [n][m]f32) =
  unzip (map2 (\re im ->
    loop (re, im) for s < k do
      let ns = 1 << s
      let half = m / 2
      let point (i: i64) =
        let low = i % ns
        let lane = (i / (2 * ns)) * ns + low
        let angle = -2 * f32.pi * f32.i64 low / f32.i64 (2 * ns)
        let (ar, ai) = (re[lane], im[lane])
        let (br, bi) = (re[lane + half], im[lane + half])
        let (c, d) = (f32.cos angle, f32.sin angle)
        let (tr, ti) = (br * c - bi * d, br * d + bi * c)
        in if (i / ns) % 2 == 0 then (ar + tr, ai + ti) else (ar - tr, ai - ti)
      in unzip (map point (iota m))) re im)

type vec = {x: f32, y: f32, z: f32}
type body = {pos: vec, vel: vec, mass: f32}
def plus (a: vec) (b: vec) : vec = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z}
def times (s: f32) (a: vec) : vec = {x = s * a.x, y = s * a.y, z = s * a.z}
def minus (a: vec) (b: vec) : vec = plus a (times (-1) b)
def size (a: vec) : f32 = a.x * a.x + a.y * a.y + a.z * a.z

-- Bodies that attract each other, of records.
entry bodies [n] (steps: i64) (xs: [n]f32) (ys: [n]f32) (zs: [n]f32) (ms: [n]f32) : ([n]f32, [n]f32, [n]f32) =
  let start = map4 (\x y z mass : body -> {pos = {x, y, z}, vel = {x = 0, y = 0, z = 0}, mass}) xs ys zs ms
  let pull (a: body) (b: body) : vec =
    let d = b.pos `minus` a.pos
    let r = size d + 0.01
    in times (b.mass / (r * f32.sqrt r)) d
  let ends =
    loop bs = start for _k < steps do
      map (\b ->
             let acc = reduce plus {x = 0, y = 0, z = 0} (map (pull b) bs)
             let vel = b.vel `plus` times 0.01 acc
             in b with vel = vel with pos = plus b.pos (times 0.01 vel)) bs
  in unzip3 (map (\b -> (b.pos.x, b.pos.y, b.pos.z)) ends)

-- Birds that keep away from each other and fly as those near them.
entry boids [n] (steps: i64) (ps: [n][2]f32) (vs: [n][2]f32) : [n][2]f32 =
  let (ps, _) =
    loop (ps, vs) for _k < steps do
      let next p v =
        let pick (c, sx, sy, ax, ay) (d, tx, ty, bx, by) = (c + d, sx + tx, sy + ty, ax + bx, ay + by)
        let (c, sx, sy, ax, ay) =
          reduce_comm pick (0i32, 0, 0, 0, 0)
                      (map2 (\(q: [2]f32) (w: [2]f32) ->
                               let dx = p[0] - q[0]
                               let dy = p[1] - q[1]
                               let r = dx * dx + dy * dy
                               in if r < 0.01 then (1, dx, dy, w[0], w[1]) else (0, 0, 0, 0, 0)) ps vs)
        let w = [v[0] + 0.01 * sx + 0.1 * (ax / f32.i32 c - v[0]), v[1] + 0.01 * sy + 0.1 * (ay / f32.i32 c - v[1])]
        in ([p[0] + 0.01 * w[0], p[1] + 0.01 * w[1]], w)
      in unzip (map2 next ps vs)
  in ps

-- The nearest k points, in order, in a thread.
entry neighbours [n] [m] [d] (k: i64) (xs: [n][d]f32) (qs: [m][d]f32) : [m][k]f32 =
  map (\q ->
         loop best = replicate k f32.inf for i < n do
           let r = f32.sum (map2 (\a b -> (a - b) * (a - b)) q xs[i])
           in if r < best[k - 1]
              then let (best, _) =
                     loop (best, v) = (best, r) for j < k do
                       let b = copy best[j]
                       in if v < b then (best with [j] = v, b) else (best, v)
                   in best
              else best)
      qs

-- Conjugate gradients for the differences of a plane.
entry gradients [n] [m] (steps: i64) (b: [n][m]f32) : [n][m]f32 =
  let apply (x: [n][m]f32) : [n][m]f32 =
    let at i j = if i < 0 || j < 0 || i >= n || j >= m then 0 else x[i, j]
    in tabulate_2d n m (\i j -> 4 * x[i, j] - at (i - 1) j - at (i + 1) j - at i (j - 1) - at i (j + 1))
  let dot (x: [n][m]f32) (y: [n][m]f32) = f32.sum (map2 (*) (flatten x) (flatten y))
  let (x, _, _, _) =
    loop (x, r, p, rr) = (replicate n (replicate m 0), b, b, dot b b) for _k < steps do
      let q = apply p
      let alpha = rr / dot p q
      let x = map2 (map2 (\x p -> x + alpha * p)) x p
      let r = map2 (map2 (\r q -> r - alpha * q)) r q
      let new = dot r r
      let p = map2 (map2 (\r p -> r + new / rr * p)) r p
      in (x, r, p, new)
  in x

-- Rows of a sparse matrix with the same number of entries each.
entry ell [n] [k] (is: [n][k]i64) (vs: [n][k]f32) (x: [n]f32) : [n]f32 =
  map2 (\i v -> f32.sum (map2 (\i v -> v * x[i]) i v)) is vs

entry julia (n: i64) (limit: i32) : [n][n]i32 =
  tabulate_2d n n (\i j ->
    let z = (f32.i64 j * 3 / f32.i64 n - 1.5, f32.i64 i * 3 / f32.i64 n - 1.5)
    in (loop (z: (f32, f32), k) = (z, 0) while z.0 * z.0 + z.1 * z.1 < 4 && k < limit do
          ((z.0 * z.0 - z.1 * z.1 - 0.8, 2 * z.0 * z.1 + 0.156), k + 1)).1)

-- The largest eigenvalue.
entry power [n] (steps: i64) (a: [n][n]f32) : f32 =
  let (_, l) =
    loop (x, _) = (replicate n 1, 0) for _k < steps do
      let y = map (\r -> f32.sum (map2 (*) r x)) a
      let l = f32.sqrt (f32.sum (map (\v -> v * v) y))
      in (map (/ l) y, l)
  in l
