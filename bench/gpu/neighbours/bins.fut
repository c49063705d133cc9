-- Histograms, scans and their neighbours.

-- How often, and the least value of each bin, with its place.
entry least_of_bins [n] (k: i64) (is: [n]i64) (xs: [n]f32) : ([k]f32, [k]i64) =
  unzip (reduce_by_index (replicate k (f32.inf, i64.highest))
                         (\(a, i) (b, j) -> if a < b || (a == b && i < j) then (a, i) else (b, j))
                         (f32.inf, i64.highest) is (zip xs (iota n)))

entry in_two_directions [n] (k: i64) (is: [n]i64) (js: [n]i64) : [k][k]i32 =
  reduce_by_index_2d (replicate k (replicate k 0)) (+) 0 (zip is js) (replicate n 1)

-- Three colours of a picture.
entry colours [n] (rgb: [n]u32) : ([256]i32, [256]i32, [256]i32) =
  let count f = hist (+) 0 256 (map (\c -> i64.u32 (f c)) rgb) (replicate n 1)
  in (count (\c -> (c >> 16) & 255), count (\c -> (c >> 8) & 255), count (\c -> c & 255))

entry of_doubles [n] (k: i64) (is: [n]i64) (xs: [n]f64) : [k]f64 = hist (+) 0 k is xs

-- Means of groups: sums and numbers in one histogram of pairs.
entry means_of_groups [n] (k: i64) (is: [n]i64) (xs: [n]f32) : [k]f32 =
  let sums = hist (\(a, b) (c, d) -> (a + c, b + d)) (0, 0i32) k is (map (\x -> (x, 1)) xs)
  in map (\(s, c) -> if c == 0 then 0 else s / f32.i32 c) sums

-- Sums of vectors.
entry sums_of_vectors [n] [d] (k: i64) (is: [n]i64) (xs: [n][d]f32) : [k][d]f32 =
  reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0) is xs

-- A bin for each value range, of values that are not counted if too large.
entry ranges [n] (k: i64) (xs: [n]f32) : [k]i64 =
  let bin x = i64.f32 (x * x * 1.2 * f32.i64 k)
  in hist (+) 0 k (map bin xs) (map (\x -> if x > 0.5 then 1 else 2) xs)

def segscan [n] 't (op: t -> t -> t) (ne: t) (flags: [n]bool) (xs: [n]t) : [n]t =
  (unzip (scan (\(f, x) (g, y) -> (f || g, if g then y else op x y)) (false, ne) (zip flags xs))).1

entry segmented [n] (flags: [n]bool) (xs: [n]f32) : [n]f32 = segscan (+) 0 flags xs

-- x[i] = a[i] * x[i - 1] + b[i]
entry recurrence [n] (as: [n]f32) (bs: [n]f32) : [n]f32 =
  (unzip (scan (\(a, b) (c, d) -> (c * a, c * b + d)) (1, 0) (zip as bs))).1

-- The largest so far, and where it was.
entry largest_so_far [n] (xs: [n]f32) : ([n]f32, [n]i64) =
  unzip (scan (\(a, i) (b, j) -> if b > a then (b, j) else (a, i)) (-f32.inf, -1) (zip xs (iota n)))

-- Those that are larger than all before them.
entry records [n] (xs: [n]f32) : []f32 =
  let tops = scan f32.max (-f32.inf) xs
  in map (.1) (filter (\(i, x) -> i == 0 || x > tops[i - 1]) (zip (iota n) xs))

-- What is kept goes to its place by a scatter.
entry kept_by_scatter [n] (xs: [n]i32) : []i32 =
  let flags = map (\x -> i64.bool (x % 3 == 0)) xs
  let places = scan (+) 0 flags
  let count = if n == 0 then 0 else places[n - 1]
  let is = map2 (\f p -> if f == 1 then p - 1 else -1) flags places
  in scatter (replicate count 0) is xs

-- Lengths of runs.
entry runs [n] (xs: [n]i32) : ([]i32, []i64) =
  let starts = map (\i -> i == 0 || xs[i] != xs[i - 1]) (iota n)
  let (_, values, places) = unzip3 (filter (.0) (zip3 starts xs (iota n)))
  let m = length values
  let lengths = map (\i -> (if i == m - 1 then n else places[i + 1]) - places[i]) (iota m)
  in (values, lengths)

entry exclusive [n] (xs: [n]i32) : [n]i32 = map2 (-) (scan (+) 0 xs) xs

entry column_sums_so_far [n] [m] (a: [n][m]f32) : [n][m]f32 = transpose (map (scan (+) 0) (transpose a))

-- Rows after rows, as vectors.
entry vectors_so_far [n] [m] (a: [n][m]f32) : [n][m]f32 = scan (map2 (+)) (replicate m 0) a

-- Sums of all points above and left.
entry summed_area [n] [m] (a: [n][m]f32) : [n][m]f32 =
  map (scan (+) 0) a |> transpose |> map (scan (+) 0) |> transpose

-- Sums of boxes by sums of areas.
entry means_of_boxes [n] [m] (r: i64) (a: [n][m]f32) : [n][m]f32 =
  let s = map (scan (+) 0) a |> transpose |> map (scan (+) 0) |> transpose
  let at i j = if i < 0 || j < 0 then 0 else s[i64.min (n - 1) i, i64.min (m - 1) j]
  in tabulate_2d n m (\i j ->
       (at (i + r) (j + r) - at (i - r - 1) (j + r) - at (i + r) (j - r - 1) + at (i - r - 1) (j - r - 1))
       / f32.i64 ((2 * r + 1) * (2 * r + 1)))

entry scans_in_loop [n] (steps: i64) (xs: [n]i32) : [n]i32 =
  loop xs for k < steps do map (\x -> x % 1000 + i32.i64 k) (scan (+) 0 xs)

-- The part of a vector with the largest sum.
entry best_part [n] (xs: [n]f32) : f32 =
  let op (m1, l1, r1, t1) (m2, l2, r2, t2) =
    (f32.max (f32.max m1 m2) (r1 + l2), f32.max l1 (t1 + l2), f32.max r2 (r1 + t2), t1 + t2)
  let (m, _, _, _) = reduce op (0, 0, 0, 0f32) (map (\x -> let y = x - 0.5 let p = f32.max 0 y in (p, p, p, y)) xs)
  in m

-- Mean, variance and limits in one pass.
entry statistics [n] (xs: [n]f32) : (f32, f32, f32, f32) =
  let (s, q, a, b) =
    reduce_comm (\(s, q, a, b) (t, r, c, d) -> (s + t, q + r, f32.min a c, f32.max b d)) (0, 0, f32.inf, -f32.inf)
                (map (\x -> (x, x * x, x, x)) xs)
  in (s / f32.i64 n, q / f32.i64 n - (s / f32.i64 n) ** 2, a, b)

-- In ascending order of bits, two at a time.
entry radix_sort [n] (xs: [n]u32) : [n]u32 =
  let step (xs: [n]u32) (bit: i32) : [n]u32 =
    let digit (x: u32) = i64.u32 ((x >> u32.i32 bit) & 3)
    let ones = map (\x -> let d = digit x in (i64.bool (d == 0), i64.bool (d == 1), i64.bool (d == 2), i64.bool (d == 3))) xs
    let add (a, b, c, d) (e, f, g, h) = (a + e, b + f, c + g, d + h)
    let sums = scan add (0, 0, 0, 0) ones
    let (a, b, c, _) = last sums
    let is = map2 (\x (p, q, r, s) ->
                     let d = digit x
                     in if d == 0 then p - 1 else if d == 1 then a + q - 1 else if d == 2 then a + b + r - 1 else a + b + c + s - 1)
                  xs sums
    in scatter (copy xs) is xs
  in loop xs for k < 16 do step xs (i32.i64 (2 * k))

-- A network that sorts 2^k numbers.
entry bitonic [n] (k: i64) (xs: [n]i32) : [n]i32 =
  loop xs: [n]i32 = xs for p < k do
    loop xs: [n]i32 = xs for q < p + 1 do
      let d = 1 << (p - q)
      in tabulate n (\i ->
           let a = xs[i]
           let up = ((i >> (p + 1)) & 1) == 0
           let b = xs[i ^ d]
           in if ((i & d) == 0) == up then i32.min a b else i32.max a b)

entry permuted [n] (is: [n]i64) (xs: [n]f32) : [n]f32 = map (\i -> xs[i]) is

entry permuted_pairs [n] (is: [n]i64) (xs: [n]f32) (ys: [n]i32) : ([n]f32, [n]i32) =
  unzip (scatter (replicate n (0, 0)) is (zip xs ys))

-- The first place of a sorted vector that is not less.
entry searched [n] [m] (xs: [n]f32) (keys: [m]f32) : [m]i64 =
  map (\k ->
         let (lo, _) =
           loop (lo, hi) = (0, n) while lo < hi do
             let mid = (lo + hi) / 2
             in if xs[mid] < k then (mid + 1, hi) else (lo, mid)
         in lo)
      keys

-- Rank of nodes along links, by additions to where they lead.
entry ranks [m] (n: i64) (steps: i64) (from: [m]i64) (to: [m]i64) : [n]f32 =
  let degrees = hist (+) 0 n from (replicate m 1i32)
  in loop r = replicate n (1 / f32.i64 n) for _k < steps do
       let gives = map2 (\x d -> if d == 0 then 0 else x / f32.i32 d) r degrees
       let got = hist (+) 0 n to (map (\i -> gives[i]) from)
       in map (\x -> 0.15 / f32.i64 n + 0.85 * x) got

-- Where a word begins in a text.
entry found [n] [m] (text: [n]u8) (word: [m]u8) : i64 =
  i64.sum (map (\i ->
                  i64.bool (loop (same, k) = (true, 0) while same && k < m do (i + k < n && text[i + k] == word[k], k + 1)).0)
               (iota n))

-- All places where a word begins.
entry found_places [n] [m] (text: [n]u8) (word: [m]u8) : []i64 =
  filter (\i -> and (map (\k -> text[i + k] == word[k]) (iota m))) (iota (n - m + 1))
