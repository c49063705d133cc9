-- For each row, sixty-four times: add the row's number to its elements and take prefix sums. Made to show the versions
-- of incremental flattening.
--
-- Parallelism: rows x a map and a scan, in a sequential loop between the two levels. Many rows: one thread each with a
-- sequential scan. Rows of up to a thousand elements: one thread block each, with the row in shared memory. Few long
-- rows: whole-device scans, with the loop outside.
-- ==
-- "ones" input { [[1i64, 0i64, 0i64], [0i64, 0i64, 0i64]] }
-- output { [[1i64, 64i64, 2080i64], [64i64, 2144i64, 47904i64]] }
-- "small" input @ data/mapscan/small.in
-- output @ data/mapscan/small.out

def rounds [n] (i: i64) (row: [n]i64) : [n]i64 =
  loop row for _k < 64i32 do scan (+) 0 (map (+ i) row)

def main [m] [n] (rows: [m][n]i64) : [m][n]i64 = map2 rounds (iota m) rows
