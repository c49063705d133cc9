-- The building blocks of GPU programs, one entry point each, on arrays made on the device. `run.py` times
-- them beside a plain copy and NVIDIA's CUB (cub.cu) on the same sizes.

def hash (i: i64) : i32 =
  let x = i32.i64 i * 0x45d9f3b
  in (x ^ (x >> 16)) * 0x45d9f3b ^ (x >> 7)

entry floats (n: i64) : [n]f32 = tabulate n (\i -> f32.i32 (hash i & 1023) / 1024)
entry ints (n: i64) : [n]i32 = tabulate n hash
entry rows (n: i64) (m: i64) : [n][m]f32 = tabulate_2d n m (\i j -> f32.i32 (hash (i * m + j) & 1023) / 1024)

entry increment [n] (xs: [n]f32) : [n]f32 = map (+ 1) xs
entry sum [n] (xs: [n]f32) : f32 = reduce (+) 0 xs
entry prefix_sums [n] (xs: [n]f32) : [n]f32 = scan (+) 0 xs
entry row_sums [n][m] (xss: [n][m]f32) : [n]f32 = map (reduce (+) 0) xss
entry row_scans [n][m] (xss: [n][m]f32) : [n][m]f32 = map (scan (+) 0) xss
entry transposed [n][m] (xss: [n][m]f32) : [m][n]f32 = copy (transpose xss)

entry histogram [n] (k: i64) (xs: [n]i32) : [k]i32 =
  reduce_by_index (replicate k 0) (+) 0 (map (\x -> i64.i32 x & (k - 1)) xs) (map (const 1) xs)

entry matmul [n][m][p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 =
  map (\r -> map (\c -> reduce (+) 0 (map2 (*) r c)) (transpose b)) a

entry positives [n] (xs: [n]i32) : []i32 = filter (> 0) xs
