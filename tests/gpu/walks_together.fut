-- Rows that threads read and write through tiles in shared memory: whole warps or not, rows that begin or end with a tile or not.
-- ==
-- entry: read
-- input { 100i64 37i64 } auto output
-- input { 300i64 64i64 } auto output
-- input { 33i64 16i64 } auto output
-- input { 31i64 40i64 } auto output
-- input { 64i64 15i64 } auto output
-- input { 64i64 0i64 } auto output
-- input { 64i64 1i64 } auto output
-- input { 64i64 31i64 } auto output
-- input { 64i64 32i64 } auto output
-- input { 64i64 33i64 } auto output
-- input { 96i64 30i64 } auto output
-- input { 96i64 47i64 } auto output
-- input { 128i64 129i64 } auto output
-- input { 0i64 40i64 } auto output
-- input { 0i64 0i64 } auto output

-- ==
-- entry: read_and_written
-- input { 100i64 37i64 } auto output
-- input { 300i64 64i64 } auto output
-- input { 33i64 16i64 } auto output
-- input { 31i64 40i64 } auto output
-- input { 64i64 15i64 } auto output
-- input { 64i64 0i64 } auto output
-- input { 64i64 1i64 } auto output
-- input { 64i64 31i64 } auto output
-- input { 64i64 32i64 } auto output
-- input { 64i64 33i64 } auto output
-- input { 96i64 30i64 } auto output
-- input { 96i64 47i64 } auto output
-- input { 128i64 129i64 } auto output
-- input { 0i64 40i64 } auto output
-- input { 0i64 0i64 } auto output

-- ==
-- entry: written
-- input { 100i64 37i64 } auto output
-- input { 300i64 64i64 } auto output
-- input { 33i64 16i64 } auto output
-- input { 31i64 40i64 } auto output
-- input { 64i64 15i64 } auto output
-- input { 64i64 0i64 } auto output
-- input { 64i64 1i64 } auto output
-- input { 64i64 31i64 } auto output
-- input { 64i64 32i64 } auto output
-- input { 64i64 33i64 } auto output
-- input { 96i64 30i64 } auto output
-- input { 96i64 47i64 } auto output
-- input { 128i64 129i64 } auto output
-- input { 0i64 40i64 } auto output
-- input { 0i64 0i64 } auto output

-- ==
-- entry: wide
-- input { 100i64 37i64 } auto output
-- input { 64i64 15i64 } auto output
-- input { 64i64 0i64 } auto output
-- input { 64i64 1i64 } auto output
-- input { 64i64 31i64 } auto output
-- input { 64i64 32i64 } auto output
-- input { 64i64 33i64 } auto output
-- input { 96i64 30i64 } auto output
-- input { 96i64 47i64 } auto output
-- input { 128i64 129i64 } auto output
-- input { 0i64 40i64 } auto output
-- input { 0i64 0i64 } auto output

-- ==
-- entry: of_both_widths
-- input { 100i64 37i64 } auto output
-- input { 64i64 15i64 } auto output
-- input { 64i64 0i64 } auto output
-- input { 64i64 1i64 } auto output
-- input { 64i64 31i64 } auto output
-- input { 64i64 32i64 } auto output
-- input { 64i64 33i64 } auto output
-- input { 96i64 30i64 } auto output
-- input { 96i64 47i64 } auto output
-- input { 128i64 129i64 } auto output
-- input { 0i64 40i64 } auto output
-- input { 0i64 0i64 } auto output

-- ==
-- entry: of_shifted_rows
-- input { 100i64 37i64 } auto output
-- input { 300i64 64i64 } auto output
-- input { 33i64 16i64 } auto output
-- input { 31i64 40i64 } auto output
-- input { 64i64 15i64 } auto output
-- input { 64i64 0i64 } auto output
-- input { 64i64 1i64 } auto output
-- input { 64i64 31i64 } auto output
-- input { 64i64 32i64 } auto output
-- input { 64i64 33i64 } auto output
-- input { 96i64 30i64 } auto output
-- input { 96i64 47i64 } auto output
-- input { 128i64 129i64 } auto output
-- input { 0i64 40i64 } auto output
-- input { 0i64 0i64 } auto output

-- ==
-- entry: of_different_lengths
-- input { 100i64 37i64 } auto output
-- input { 300i64 64i64 } auto output
-- input { 33i64 16i64 } auto output
-- input { 31i64 40i64 } auto output
-- input { 64i64 15i64 } auto output
-- input { 64i64 31i64 } auto output
-- input { 64i64 32i64 } auto output
-- input { 64i64 33i64 } auto output
-- input { 96i64 30i64 } auto output
-- input { 96i64 47i64 } auto output
-- input { 128i64 129i64 } auto output
-- input { 0i64 40i64 } auto output

def number (i: i64) : i64 = i * 7919 % 1021
def decayed [m] (xs: [m]f32) : f32 = loop s = 0 for i < m do s * 0.5 + xs[i]
def made (n: i64) (m: i64) = opaque (tabulate_2d n m (\i j -> f32.i64 (number (i * m + j))))

entry read (n: i64) (m: i64) = #[sequential_inner] map decayed (made n m)
entry read_and_written (n: i64) (m: i64) =
  let b = map (map (+ 1)) (made n m)
  in (b, #[sequential_inner] map decayed b)
entry written (n: i64) (m: i64) =
  #[sequential_inner] map (\i -> scan (+) 0 (map (\j -> number (i * m + j)) (iota m))) (iota n)
entry wide (n: i64) (m: i64) =
  let a = opaque (tabulate_2d n m (\i j -> f64.i64 (number (i * m + j))))
  let b = opaque (tabulate_2d n m (\i j -> f64.i64 (number (i + j))))
  in #[sequential_inner] map2 (\xs ys -> loop s = 0 for i < m do s * 0.5 + xs[i] * ys[i]) a b
entry of_both_widths (n: i64) (m: i64) =
  let a = opaque (tabulate_2d n m (\i j -> f64.i64 (number (i * m + j))))
  in #[sequential_inner] map2 (\xs ys -> loop s = 0 for i < m do s * 0.5 + xs[i] * f64.f32 ys[i]) a (made n m)
entry of_shifted_rows (n: i64) (m: i64) =
  let (a, b) = (made n (m + 3), made n (m + 1))
  in #[sequential_inner] map2 (\xs ys -> loop s = 0 for i < m do s * 0.5 + xs[i + 3] * ys[i]) a b
entry of_different_lengths (n: i64) (m: i64) =
  let a = made n m
  in #[sequential_inner] tabulate n (\i -> loop s = 0 for j < m - i % 8 do s * 0.5 + a[i, j])
