-- A reduction whose points have rows of a known size, and rows of their own sizes that a thread adds up: the version is chosen by what the host knows.
-- ==
-- entry: sums
-- input { 0i64 3i64 } auto output
-- input { 1i64 0i64 } auto output
-- input { 50i64 7i64 } auto output

entry sums (n: i64) (m: i64) : i32 =
  let rows = opaque (tabulate_2d n m (\i j -> i32.i64 (i * j)))
  in i32.sum (map2 (\i row ->
                      i32.sum row + #[sequential] i32.sum (map i32.sum (replicate i (replicate 2 (i32.i64 i)))))
                   (iota n) rows)
