-- Rows that are reduced and mapped several times: threads of blocks and of parts of warps keep the elements of their points. The tuning file sees to it that blocks have
-- no more threads than they need, however few rows there are.

def grid (n: i64) (m: i64) : [n][m]i64 = tabulate_2d n m (\i j -> (i * 7919 + j * 104729) % 1009)

-- ==
-- entry: plain others places two_results in_place deep
-- input { 3i64 0i64 } auto output
-- input { 0i64 5i64 } auto output
-- input { 3i64 1i64 } auto output
-- input { 5i64 2i64 } auto output
-- input { 33i64 3i64 } auto output
-- input { 9i64 16i64 } auto output
-- input { 7i64 31i64 } auto output
-- input { 5i64 32i64 } auto output
-- input { 5i64 33i64 } auto output
-- input { 11i64 100i64 } auto output
-- input { 5i64 255i64 } auto output
-- input { 3i64 256i64 } auto output
-- input { 3i64 257i64 } auto output
-- input { 3i64 1000i64 } auto output
-- input { 2i64 1024i64 } auto output
-- input { 2i64 1025i64 } auto output
-- input { 2i64 4096i64 } auto output
-- input { 1i64 5003i64 } auto output
-- input { 1i64 8192i64 } auto output
-- input { 1i64 8193i64 } auto output
entry plain (n: i64) (m: i64) : [n][m]i64 =
  #[incremental_flattening(only_intra)]
  map (\xs -> let most = i64.maximum xs
              let es = map (\x -> (most - x) * 3 + 1) xs
              let sum = i64.sum es
              let ds = map (\e -> e * e - sum) es
              let least = i64.minimum ds
              in map2 (\d e -> d - least + e) ds es)
      (opaque (grid n m))

-- Elements of other types, one after the other, and operators of several values.
entry others (n: i64) (m: i64) : ([n][m]i32, [n]f64, [n]bool) =
  let f xs =
    let bytes = map u8.i64 xs
    let sum = f64.sum (map f64.i64 xs)
    let top = reduce f32.max (-f32.inf) (map f32.i64 xs)
    let halves = f16.sum (map (\x -> if x == 7 then 1 else 0) xs)
    let odd = or (map (\b -> b % 2 == 1) bytes)
    let (a, b) = reduce_comm (\(a, b) (c, d) -> (a + c, i64.max b d)) (0, 0) (zip (map i32.u8 bytes) xs)
    let low = u8.minimum bytes
    in (map2 (\x b' -> i32.i64 (x + b) + a + i32.u8 (b' - low) + i32.f32 top + i32.f16 halves) xs bytes, sum, odd)
  in unzip3 (#[incremental_flattening(only_intra)] map f (opaque (grid n m)))

-- Elements of other points, of other rows, and of what all rows read.
entry places (n: i64) (m: i64) : [n][m]i64 =
  let xss = opaque (grid n m)
  let ks = opaque (tabulate m (\j -> (j * 31) % i64.max 1 m))
  let f i xs =
    let sum = i64.sum xs
    let ys = map (+ sum) xs
    let most = i64.maximum ys
    let next = xss[(i + 1) % n]
    in map4 (\j y k z -> #[unsafe] y + ys[m - 1 - j] + xs[k] * 5 + z - most) (iota m) ys ks next
  in #[incremental_flattening(only_intra)] map2 f (iota n) xss

entry two_results (n: i64) (m: i64) : ([n][m]f32, [n][m]i64, [n]i64) =
  let f xs =
    let sum = i64.sum xs
    let ys = map (\x -> x * 2 - sum) xs
    let top = i64.maximum ys
    in (map (\y -> f32.i64 (top - y)) ys, map2 (+) xs ys, top)
  in unzip3 (#[incremental_flattening(only_intra)] map f (opaque (grid n m)))

-- Rows that are replaced.
entry in_place (n: i64) (m: i64) : [n][m]i64 =
  let xss = opaque (grid n m)
  in loop xss for _k < 3i32 do
       #[incremental_flattening(only_intra)]
       map (\xs -> let most = i64.maximum xs
                   let ys = map (\x -> most - x) xs
                   let sum = i64.sum ys
                   in map2 (\x y -> (x + y * sum) % 1013) xs ys)
           xss

-- Branches, and rows of rows.
entry deep (n: i64) (m: i64) : [n][2][m]f64 =
  let xsss = opaque (tabulate_3d n 2 m (\i k j -> f64.i64 ((i * 31 + k * 17 + j * 7) % 101)))
  let f xs =
    let mean = f64.sum xs
    let spread = f64.sum (map (\x -> (x - mean) * (x - mean)) xs)
    let scale = if spread == 0 then 1 else spread
    in map (\x -> if x > 50 then x * scale else x - mean) xs
  in #[incremental_flattening(only_inner)] map (\xss -> #[incremental_flattening(only_intra)] map f xss) xsss

-- Scans, of several values, with operators that do not commute.
-- ==
-- entry: scans
-- input { 3i64 0i64 } auto output
-- input { 3i64 1i64 } auto output
-- input { 33i64 3i64 } auto output
-- input { 9i64 16i64 } auto output
-- input { 7i64 31i64 } auto output
-- input { 5i64 33i64 } auto output
-- input { 11i64 100i64 } auto output
-- input { 3i64 256i64 } auto output
-- input { 3i64 257i64 } auto output
-- input { 3i64 1000i64 } auto output
-- input { 2i64 1024i64 } auto output
-- input { 2i64 1025i64 } auto output
-- input { 2i64 4096i64 } auto output
-- input { 1i64 5003i64 } auto output
-- input { 1i64 8192i64 } auto output
-- input { 1i64 8193i64 } auto output
entry scans (n: i64) (m: i64) : ([n][m]i32, [n][m]i32, [n]i32) =
  let f xs =
    let sums = scan (+) 0 xs
    let most = i32.maximum sums
    let keys = map2 (\s x -> ((s * 3 + x + most) % 100)) sums xs
    let last = scan (\a b -> if b == 0 then a else b) 0 (map (\k -> if k < 50 then 0 else k) keys)
    in (sums, map2 (+) last keys, i32.sum last)
  in unzip3 (#[incremental_flattening(only_intra)] map f (opaque (map (map i32.i64) (grid n m))))

-- ==
-- entry: lines
-- input { 5i64 20i64 } auto output
-- input { 5i64 300i64 } auto output
-- input { 2i64 3000i64 } auto output
entry lines (n: i64) (m: i64) : [n][m]u32 =
  let f xs =
    let (as, bs) = unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\x -> (u32.i64 x | 1, u32.i64 x)) xs))
    let t = u32.sum as
    in map2 (\a b -> a * t + b) as bs
  in #[incremental_flattening(only_intra)] map f (opaque (grid n m))
