-- Data for the programs of this folder, and a number that stands for an answer.

def chance (i: i64) : u32 =
  let x = u32.i64 i * 747796405 + 2891336453
  let y = ((x >> ((x >> 28) + 4)) ^ x) * 277803737
  in (y >> 22) ^ y

def number (i: i64) : f32 = f32.u32 (chance i >> 8) / 16777216

entry f32_1 (n: i64) : [n]f32 = tabulate n number
entry f32_2 (n: i64) (m: i64) : [n][m]f32 = tabulate_2d n m (\i j -> number (i * m + j))
entry f32_3 (n: i64) (m: i64) (k: i64) : [n][m][k]f32 = tabulate_3d n m k (\i j l -> number ((i * m + j) * k + l))
entry f64_1 (n: i64) : [n]f64 = tabulate n (\i -> f64.f32 (number i))
entry f64_2 (n: i64) (m: i64) : [n][m]f64 = tabulate_2d n m (\i j -> f64.f32 (number (i * m + j)))
-- Integers from 0 to below k.
entry i32_1 (n: i64) (k: i64) : [n]i32 = tabulate n (\i -> i32.u32 (chance i % u32.i64 k))
entry i32_2 (n: i64) (m: i64) (k: i64) : [n][m]i32 = tabulate_2d n m (\i j -> i32.u32 (chance (i * m + j) % u32.i64 k))
entry i64_1 (n: i64) (k: i64) : [n]i64 = tabulate n (\i -> i64.u32 (chance i % u32.i64 k))
entry i64_2 (n: i64) (m: i64) (k: i64) : [n][m]i64 = tabulate_2d n m (\i j -> i64.u32 (chance (i * m + j) % u32.i64 k))
entry u8_1 (n: i64) (k: i64) : [n]u8 = tabulate n (\i -> u8.u32 (chance i % u32.i64 k))
entry u8_2 (n: i64) (m: i64) (k: i64) : [n][m]u8 = tabulate_2d n m (\i j -> u8.u32 (chance (i * m + j) % u32.i64 k))
entry u32_1 (n: i64) : [n]u32 = tabulate n chance
entry bool_1 (n: i64) (k: i64) : [n]bool = tabulate n (\i -> chance i % u32.i64 k == 0)
entry sorted (n: i64) : [n]f32 = tabulate n (\i -> f32.i64 i / f32.i64 n)
entry shuffled (n: i64) : [n]i64 = tabulate n (\i -> (i * 7919 + 13) % n)

def stands 't [n] (to: t -> f64) (xs: [n]t) : f64 =
  f64.sum (map2 (\i x -> to x * f64.i64 (1 + i % 7)) (iota n) xs)

entry stands_f32_0 (x: f32) : f64 = f64.f32 x
entry stands_f64_0 (x: f64) : f64 = x
entry stands_i32_0 (x: i32) : f64 = f64.i32 x
entry stands_i64_0 (x: i64) : f64 = f64.i64 x
entry stands_f32_1 [n] (xs: [n]f32) : f64 = stands f64.f32 xs
entry stands_f64_1 [n] (xs: [n]f64) : f64 = stands id xs
entry stands_i32_1 [n] (xs: [n]i32) : f64 = stands f64.i32 xs
entry stands_i64_1 [n] (xs: [n]i64) : f64 = stands f64.i64 xs
entry stands_u32_1 [n] (xs: [n]u32) : f64 = stands f64.u32 xs
entry stands_u8_1 [n] (xs: [n]u8) : f64 = stands f64.u8 xs
entry stands_bool_1 [n] (xs: [n]bool) : f64 = stands f64.bool xs
entry stands_f32_2 [n] [m] (xs: [n][m]f32) : f64 = stands f64.f32 (flatten xs)
entry stands_f64_2 [n] [m] (xs: [n][m]f64) : f64 = stands id (flatten xs)
entry stands_i32_2 [n] [m] (xs: [n][m]i32) : f64 = stands f64.i32 (flatten xs)
entry stands_i64_2 [n] [m] (xs: [n][m]i64) : f64 = stands f64.i64 (flatten xs)
entry stands_bool_2 [n] [m] (xs: [n][m]bool) : f64 = stands f64.bool (flatten xs)
entry stands_u8_2 [n] [m] (xs: [n][m]u8) : f64 = stands f64.u8 (flatten xs)
entry stands_f32_3 [n] [m] [k] (xs: [n][m][k]f32) : f64 = stands f64.f32 (flatten (flatten xs))
entry stands_i32_3 [n] [m] [k] (xs: [n][m][k]i32) : f64 = stands f64.i32 (flatten (flatten xs))
entry stands_f32_4 [n] [m] [k] [l] (xs: [n][m][k][l]f32) : f64 = stands f64.f32 (flatten (flatten (flatten xs)))
