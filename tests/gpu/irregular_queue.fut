-- Points of different sizes, which teams take from a queue: those of the first takes, of later ones and of the last, which are no whole round.
-- ==
-- entry: sums last_of_kind
-- input { 0i64 } auto output
-- input { 1i64 } auto output
-- input { 33i64 } auto output
-- input { 1000i64 } auto output
-- input { 20011i64 } auto output

def sizes (n: i64) : [n]i64 = tabulate n (\i -> if i % 97 == 0 then 500 else if i % 5 == 0 then 0 else 40 + i % 7)

entry sums (n: i64) : []i64 =
  #[schedule(lanes_per_segment)] map (\m -> i64.sum (map (\i -> i * i % 7) (iota m))) (sizes n)

-- An operator that does not commute.
entry last_of_kind (n: i64) : []i64 =
  #[schedule(lanes_per_segment)]
  map (\m -> reduce (\a b -> if b == 0 then a else b) 0 (map (\i -> i * m % 5) (iota m))) (sizes n)

-- Regular rows whose points have loops of different lengths, of one dimension and of two, several values at a time.
-- ==
-- entry: loops pairs
-- random input { [0][5]i32 } auto output
-- random input { [5][0]i32 } auto output
-- random input { [1][1]i32 } auto output
-- random input { [3][200]i32 } auto output
-- random input { [1000][3]i32 } auto output
-- random input { [33][257]i32 } auto output

entry loops [n][m] (xss: [n][m]i32) : [n]i32 =
  #[schedule(lanes_per_segment)]
  map (\xs -> i32.sum (map (\x -> loop y = x for i < x & 15 do y * 3 + i) xs)) xss

entry pairs [n][m] (xss: [n][m]i32) =
  #[schedule(lanes_per_segment)]
  map (\xs ->
         tabulate 3 (\j ->
                       let f x = (loop y = 1 for _k < (x + i32.i64 j) & 7 do y * 5 + x, f64.i32 (x & 255), x % 3 == 0)
                       in reduce (\(a, b, c) (d, e, f) -> (a + d, f64.max b e, c && f)) (0, 0, true) (map f xs))
         |> unzip3)
      xss
  |> unzip3

-- A check fails in the middle, and the counter is as it was when the next call begins.
-- ==
-- entry: checked
-- input { [3i64, 1i64, 700i64, 2i64] 100i64 } error: Assertion
-- input { [3i64, 1i64, 99i64, 2i64] 100i64 } auto output

entry checked (ns: []i64) (m: i64) : []i64 =
  #[schedule(lanes_per_segment)] map (\n -> i64.sum (map (\i -> assert (i < m) i) (iota n))) ns
