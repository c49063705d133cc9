-- Where the sizes of all points together, or the product of the sizes at one, are more than an integer can hold, there are too many
-- elements, not few: the program ends, and reads nothing outside of its memory.
-- ==
-- entry: sums products
-- input { 65536i64 281474976710655i64 65536i64 } error: (too large|out of memory)
-- input { 3i64 4i64 0i64 } auto output
entry sums (n: i64) (k: i64) (more: i64) : []i64 =
  map (\i -> let m = if i < more then k else 3
             in if m == 0 then 0 else (scan (+) 0 (iota m))[i % m]) (iota n)

entry products (n: i64) (k: i64) (more: i64) : []i64 =
  map (\i -> let m = if i < more then k else 3
             in (map (scan (+) 0) (replicate m (iota m)))[m - 1, i % m]) (iota n)
