-- Columns that are longer than threads can keep: they read them, and compute what they have made of them, again in each operation. The tuning file makes sure that they do, however few
-- columns there are.

def grid (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.i64 ((i * 7919 + j * 104729) % 1009))

-- ==
-- entry: by_columns by_rows chain sums in_branches two_results both_ways wide two_outside written_first
-- input { 1023i64 33i64 } auto output
-- input { 1025i64 32i64 } auto output
-- input { 1030i64 47i64 } auto output
-- input { 2048i64 40i64 } auto output
-- input { 3001i64 33i64 } auto output
-- input { 4100i64 64i64 } auto output
entry by_columns (n: i64) (m: i64) : [n][m]i32 =
  let f xs =
    let most = i32.maximum xs
    let es = map (\x -> (most - x) * 3 + 1) xs
    let sum = i32.sum es
    in map (\e -> e * e - sum) es
  in transpose (#[flattening(only_intra)] map f (transpose (opaque (grid n m))))

-- Results that are in order along columns are turned.
entry by_rows (n: i64) (m: i64) : [m][n]i32 =
  let f xs =
    let most = i32.maximum xs
    let es = map (\x -> (most - x) * 3 + 1) xs
    let sum = i32.sum es
    in map (\e -> e * e - sum) es
  in #[flattening(only_intra)] map f (transpose (opaque (grid n m)))

-- What is made of what was made.
entry chain (n: i64) (m: i64) : [m][n]i32 =
  let f xs =
    let a = i32.maximum xs
    let bs = map (\x -> x * 5 - a) xs
    let c = i32.sum bs
    let ds = map2 (\x b -> x + b % 7 + c) xs bs
    let e = i32.minimum ds
    let gs = map2 (\b d -> b * d - e) bs ds
    let h = i32.sum gs
    in map3 (\b d g -> b + d + g - h) bs ds gs
  in #[flattening(only_intra)] map f (transpose (opaque (grid n m)))

-- Scalars alone.
entry sums (n: i64) (m: i64) : ([m]i32, [m]i32) =
  let f xs =
    let most = i32.maximum xs
    in (most, i32.sum (map (\x -> (most - x) % 17) xs))
  in unzip (#[flattening(only_intra)] map f (transpose (opaque (grid n m))))

entry in_branches (n: i64) (m: i64) : [m][n]i32 =
  let f xs =
    let most = i32.maximum xs
    let es = map (\x -> if x % 2 == 0 then most - x else x * most) xs
    let sum = i32.sum es
    in map2 (\x e -> if x % 3 == 0 then e - sum else sum) xs es
  in #[flattening(only_intra)] map f (transpose (opaque (grid n m)))

-- What is made is a result, too.
entry two_results (n: i64) (m: i64) : ([n][m]i32, [m][n]i32) =
  let f xs =
    let most = i32.maximum xs
    let es = map (\x -> (most - x) * 3 + 1) xs
    let sum = i32.sum es
    in (es, map (\e -> e * e - sum) es)
  let (es, fs) = unzip (#[flattening(only_intra)] map f (transpose (opaque (grid n m))))
  in (transpose es, fs)

-- What is in order along columns is turned when it is read.
entry both_ways (n: i64) (m: i64) : [m][n]i32 =
  let f xs ys =
    let dot = i32.sum (map2 (*) xs ys)
    in map2 (\x y -> x - y + dot) xs ys
  in #[flattening(only_intra)] map2 f (transpose (opaque (grid n m))) (opaque (grid m n))

-- Elements of other sizes.
entry wide (n: i64) (m: i64) : ([m][n]i64, [n][m]u8, [m]f64) =
  let f xs =
    let sum = i64.sum (map i64.i32 xs)
    let bytes = map (\x -> u8.i64 (i64.i32 x * sum)) xs
    let low = u8.minimum bytes
    in (map (\b -> i64.u8 b - sum) bytes, map (\b -> b - low) bytes, f64.i64 sum / 2)
  let (as, bs, cs) = unzip3 (#[flattening(only_intra)] map f (transpose (opaque (grid n m))))
  in (as, transpose bs, cs)

-- Columns of several matrices.
entry two_outside (n: i64) (m: i64) : [3][m][n]i32 =
  let a = opaque (tabulate_3d 3 n m (\b i j -> i32.i64 ((b * 31 + i * 7919 + j * 104729) % 1009)))
  let f b xs = let sum = i32.sum xs in map (\x -> x * 3 - sum + b) xs
  in map2 (\b as -> #[flattening(only_intra)] map (f b) (transpose as)) (map i32.i64 (iota 3)) a

-- Columns that are overwritten by what is made of them.
entry written_first (n: i64) (m: i64) : [n][m]i32 =
  let a = copy (opaque (grid n m))
  let f xs =
    let most = i32.maximum xs
    let es = map (\x -> (most - x) * 3 + 1) xs
    let sum = i32.sum es
    in map2 (\e x -> e * e - sum + x) es xs
  in transpose (#[flattening(only_intra)] map f (transpose a))
