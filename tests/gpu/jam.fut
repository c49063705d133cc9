-- Points that read the same elements along a dimension: a thread has four of them, if there are enough (the last input). Numbers of filters that are and are not multiples of
-- four, branches and bounds of loops that differ from filter to filter, and several results. The number of elements that differ from those of single numbers.
-- ==
-- entry: filters branches bounds several
-- input { 2i64 3i64 5i64 9i64 } output { 0i64 }
-- input { 2i64 8i64 190i64 180i64 } output { 0i64 }
-- input { 2i64 7i64 190i64 200i64 } output { 0i64 }

def pixel (b: i64) (k: i64) (i: i64) (j: i64) : i64 = (b * 13 + k * 31 + i * 17 + j * 7) % 101
def weight (o: i64) (k: i64) (d: i64) (e: i64) : i64 = (o * 11 + k * 5 + d * 3 + e) % 17 - 8

def images (b: i64) (n: i64) (m: i64) : [b][2][n][m]i64 =
  opaque (tabulate b (\h -> tabulate_3d 2 n m (pixel h)))

def weights (o: i64) : [o][2][3][3]i64 = opaque (tabulate o (\f -> tabulate_3d 2 3 3 (weight f)))

def differing [b] [o] [n] [m] (rs: [b][o][n][m]i64) (f: i64 -> i64 -> i64 -> i64 -> i64) : i64 =
  let at h k i j = i64.bool (rs[h, k, i, j] != f h k i j)
  in i64.sum (tabulate b (\h -> i64.sum (tabulate o (\k -> i64.sum (flatten (tabulate_2d n m (at h k)))))))

-- The sum of a filter over the neighbours that there are.
def sums (n: i64) (m: i64) (at: i64 -> i64 -> i64 -> i64) (w: i64 -> i64 -> i64 -> i64) (i: i64) (j: i64) : i64 =
  #[unsafe]
  loop s = 0 for k < 2 do
    s + (loop s = 0 for d < 3 do
           loop s for e < 3 do
             let (y, z) = (i + d - 1, j + e - 1)
             in if y >= 0 && y < n && z >= 0 && z < m then s + at k y z * w k d e else s)

entry filters (b: i64) (o: i64) (n: i64) (m: i64) : i64 =
  let (xs, ws) = (images b n m, weights o)
  let f x w = tabulate_2d n m (sums n m (\k y z -> #[unsafe] x[k, y, z]) (\k d e -> #[unsafe] w[k, d, e]))
  in differing (opaque (map (\x -> map (f x) ws) xs)) (\h f -> sums n m (pixel h) (weight f))

-- What is added depends on the filter.
def some (n: i64) (m: i64) (f: i64) (at: i64 -> i64 -> i64 -> i64) (w: i64 -> i64 -> i64 -> i64) (i: i64) (j: i64) : i64 =
  #[unsafe]
  loop s = f for d < 3 do
    loop s for e < 3 do
      let x = at 0 (i64.min (n - 1) (i + d)) (i64.min (m - 1) (j + e)) + at 1 (i64.min (n - 1) (i + e)) (i64.min (m - 1) (j + d))
      in if (f + d) % 2 == 0 then s + x else s - x * w 1 d e

entry branches (b: i64) (o: i64) (n: i64) (m: i64) : i64 =
  let (xs, ws) = (images b n m, weights o)
  let f x k w = tabulate_2d n m (some n m k (\k y z -> #[unsafe] x[k, y, z]) (\k d e -> #[unsafe] w[k, d, e]))
  in differing (opaque (map (\x -> map2 (f x) (iota o) ws) xs)) (\h f -> some n m f (pixel h) (weight f))

-- So does how often.
def often (n: i64) (m: i64) (f: i64) (at: i64 -> i64 -> i64 -> i64) (w: i64 -> i64 -> i64 -> i64) (i: i64) (j: i64) : i64 =
  let (s, x) = (sums n m at w i j, at 0 i j)
  in loop s for k < f % 3 do s * 3 + x + k

entry bounds (b: i64) (o: i64) (n: i64) (m: i64) : i64 =
  let (xs, ws) = (images b n m, weights o)
  let f x k w = tabulate_2d n m (often n m k (\k y z -> #[unsafe] x[k, y, z]) (\k d e -> #[unsafe] w[k, d, e]))
  in differing (opaque (map (\x -> map2 (f x) (iota o) ws) xs)) (\h f -> often n m f (pixel h) (weight f))

-- The sum, and the largest of what is added; one value that a loop carries is the same for all filters.
def both (n: i64) (m: i64) (at: i64 -> i64 -> i64) (w: i64 -> i64 -> i64) (i: i64) (j: i64) : (i64, i64) =
  #[unsafe]
  let (s, t, u) =
    loop (s, t, u) = (0, -1000, 0) for d < 3 do
      loop (s, t, u) for e < 3 do
        let x = at (i64.min (n - 1) (i + d)) (i64.min (m - 1) (j + e))
        let u = u + x
        let y = x * w d e
        in (s + y * u, i64.max t y, u)
  in (s, t - u)

entry several (b: i64) (o: i64) (n: i64) (m: i64) : i64 =
  let (xs, ws) = (images b n m, weights o)
  let f x w = tabulate_2d n m (both n m (\y z -> #[unsafe] x[1, y, z]) (\d e -> #[unsafe] w[1, d, e]))
  let rs = opaque (map (\x -> map (f x) ws) xs)
  let by g h f i j = g (both n m (pixel h 1) (weight f 1) i j)
  in differing (map (map (map (map (.0)))) rs) (by (.0)) + differing (map (map (map (map (.1)))) rs) (by (.1))
