-- Many tridiagonal systems of the same size: a x[i-1] + b x[i] + c x[i+1] = d in each row.
--
-- main eliminates and substitutes with two sequential loops: parallel over systems only, least work, best on CPUs and
-- with very many systems. scans writes each recurrence as a scan (of Moebius maps as 2x2 matrices, then of linear
-- functions twice): parallel over systems x rows, several times the work, best with few systems on a GPU, within a
-- thread block while a row fits.
-- ==
-- entry: main scans
-- "tiny" input { [[0f32, 1f32, 1f32]] [[2f32, 4f32, 2f32]] [[1f32, 1f32, 0f32]] [[3f32, 6f32, 3f32]] }
-- output { [[1f32, 1f32, 1f32]] }
-- "small" input @ data/tridag/small.in
-- output @ data/tridag/small.out

open import "lib/tridiagonal"

entry main [m] [n] (a: [m][n]f32) (b: [m][n]f32) (c: [m][n]f32) (d: [m][n]f32) : [m][n]f32 =
  map4 thomas a b c d

entry scans [m] [n] (a: [m][n]f32) (b: [m][n]f32) (c: [m][n]f32) (d: [m][n]f32) : [m][n]f32 =
  map4 three_scans a b c d
