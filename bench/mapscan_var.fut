-- mapscan on one array seen as n rows, for one n after the other: the same kernels run with different amounts of
-- parallelism in one run of the program, so that no single choice of version is right for all of them. Each n must
-- divide the length.
--
-- Parallelism: as in mapscan, with n rows of k/n elements; thresholds should be found by splitting a run at them.
-- ==
-- "two" input { [1i64, 2i64] [1i64, 0i64] } output { [1i64, 128i64] }
-- "none" input { empty([0]i64) [5i64] } output { [5i64] }
-- "small" input @ data/mapscan_var/small.in
-- output @ data/mapscan_var/small.out

def rounds [n] (i: i64) (row: [n]i64) : [n]i64 =
  loop row for _k < 64i32 do scan (+) 0 (map (+ i) row)

def main [k] [s] (ns: [s]i64) (xs: [k]i64) : [k]i64 =
  loop xs for n in ns do
    let rows = unflatten (xs :> [n * (k / n)]i64)
    in flatten (map2 rounds (iota n) rows) :> [k]i64
