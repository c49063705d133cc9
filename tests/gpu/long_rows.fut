-- Products of a few long rows in nests that thread blocks could run as well: their threads would go through the rows one after the
-- other. Few rows, none, rows of no elements, and enough rows for all of a device.
-- ==
-- input { 3i64 9000i64 } auto output
-- input { 0i64 9000i64 } auto output
-- input { 3i64 0i64 } auto output
-- input { 300i64 2i64 } auto output
-- input { 300i64 2100i64 } auto output

def main (n: i64) (m: i64) : ([n][n]i64, [n]i64) =
  let rows = tabulate_2d n m (\i j -> (i + 1) * (j % 2))
  let others = tabulate_2d n m (\i j -> (i + j) % 4)
  in unzip (map (\x ->
    let products = map (\y -> i64.sum (map2 (*) x y)) others
    in (scan (+) 0 (scan i64.max 0 products), i64.maximum products)) rows)
