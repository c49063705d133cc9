-- Filters: scalars, tuples, rows, several at a time, inside of nests, loops and branches.
-- ==
-- entry: flat tuples of_map then_map twice three counted expensive in_branch in_loop none all_kept records summed parts
-- input { empty([0]i32) } auto output
-- input { [5] } auto output
-- input { [-5] } auto output
-- random input { [257]i32 } auto output
-- random input { [10001]i32 } auto output

-- ==
-- entry: rows row_pairs rows_by_sum computed_rows rows_twice
-- random input { [0][3]i32 } auto output
-- random input { [1][1]i32 } auto output
-- random input { [33][0]i32 } auto output
-- random input { [300][7]i32 } auto output
-- random input { [7][300]i32 } auto output

-- ==
-- entry: firsts lengths folded expensive_inside nested_rows consumed_inside
-- random input { [0][3]i32 } auto output
-- random input { [33][0]i32 } auto output
-- random input { [100][31]i32 } auto output
-- random input { [3][2000]i32 } auto output

entry flat (xs: []i32) = filter (> 0) xs
entry tuples (xs: []i32) = filter (\(x, y, z) -> x > 0 && y != 7 || z) (map (\x -> (x, i8.i32 x, x % 2 == 0)) xs) |> unzip3
entry of_map (xs: []i32) = let ys = map (* 3) xs in (filter (> 5) ys, ys)
entry then_map (xs: []i32) = filter (\x -> x % 3 == 0) xs |> map (\x -> f32.i32 x / 2)
entry twice (xs: []i32) = filter (\x -> x % 3 == 0) xs |> filter (\x -> x % 2 == 0)

entry three (xs: []i32) =
  let p = if null xs then 0 else xs[0]
  in (filter (< p) xs, filter (== p) xs, filter (> p) xs)

entry counted (xs: []i32) = (length (filter (> 0) xs), i32.sum (filter (< 0) xs), length (filter (== 0) xs))

def collatz (x: i32) : i32 =
  (loop (x, n) = ((x & 1023) + 1, 0) while x != 1 do (if x % 2 == 0 then x / 2 else 3 * x + 1, n + 1)).1
entry expensive (xs: []i32) = filter (\(_, n) -> n > 20) (map (\x -> (x, collatz x)) xs) |> unzip
entry in_branch (xs: []i32) = if length xs > 300 then filter (> 0) xs else map (+ 1) xs

entry in_loop (xs: []i32) =
  loop xs for i < 5 do filter (\x -> (x >> i) & 1 == 1 || x < 0) xs |> map (+ 1)

entry none (xs: []i32) = filter (\x -> x < 0 && x > 0) xs
entry all_kept (xs: []i32) = filter (const true) xs
entry records (xs: []i32) = filter (\r -> r.a > r.b) (map (\x -> {a = x, b = x / 2 + 7, c = [x, x + 1]}) xs) |> map (.c)
entry summed (xs: []i32) = i32.sum (map (\x -> 1000 / x) (filter (!= 0) xs))
entry parts (xs: []i32) = partition2 (\x -> x % 3 == 0) (\x -> x % 5 == 0) xs

entry rows [n] [m] (xss: [n][m]i32) = filter (\xs -> length xs > 0 && xs[0] > 0) xss
entry row_pairs [n] [m] (xss: [n][m]i32) =
  filter (\(xs, i) -> i % 2 == 0 && (null xs || xs[0] < 1000) || m > 100 && xs[0] > 0) (zip xss (iota n)) |> unzip
entry rows_by_sum [n] [m] (xss: [n][m]i32) = filter (\xs -> i32.sum xs > 0) xss
entry computed_rows [n] [m] (xss: [n][m]i32) = filter (\xs -> i32.sum xs > 0) (map (\xs -> scan (+) 0 xs) xss)
entry rows_twice [n] [m] (xss: [n][m]i32) =
  (filter (\xs -> i32.sum xs > 0) xss, map reverse (filter (\xs -> i32.sum xs < 0) xss))

entry firsts [n] [m] (xss: [n][m]i32) =
  map (\xs -> let ys = filter (> 0) xs in if null ys then 0 else ys[0] + last ys) xss
entry lengths [n] [m] (xss: [n][m]i32) = map (\xs -> length (filter (> 0) xs)) xss
entry folded [n] [m] (xss: [n][m]i32) = map (\xs -> foldl (\a x -> a * 3 + x) 1 (filter (> 0) xs)) xss

entry expensive_inside [n] [m] (xss: [n][m]i32) =
  map (\xs -> let ys = filter (\(_, n) -> n > 20) (map (\x -> (x, collatz x)) xs)
              in loop a = 0 for (x, n) in ys do a * 3 + x - n) xss

entry nested_rows [n] [m] (xss: [n][m]i32) =
  map (\xs -> let yss = filter (\ys -> ys[0] > 0) (map (\x -> [x, x + 1, x * 2]) xs)
              in (length yss, loop a = 1 for ys in yss do a * 5 + ys[0] - ys[1] + ys[2])) xss |> unzip

entry consumed_inside [n] [m] (xss: [n][m]i32) =
  map (\xs -> let ys = filter (> 0) xs
              let k = length ys
              let zs = if k > 1 then copy ys with [0] = ys[1] else ys
              in i32.sum zs + i32.i64 k) xss

-- Little of much is kept: it has memory of its own size. What is kept is as good as any other array.
-- ==
-- entry: few few_of_many updated joined
-- input { 0i64 } auto output
-- input { 1i64 } auto output
-- input { 4000i64 } auto output
-- input { 300007i64 } auto output
entry few (n: i64) = filter (\x -> x % 1000 == 1) (iota n)
entry few_of_many (n: i64) =
  loop xs = iota n for i < 4 do filter (\x -> x % (i * 9 + 2) == 0) xs |> map (+ 2)
entry updated (n: i64) =
  let ys = filter (\x -> x % 1000 != 1) (iota n)
  in if null ys then ys else ys with [0] = 42
entry joined (n: i64) =
  let (xs, ys) = (filter (\x -> x % 50 == 1) (iota n), filter (\x -> x % 3 != 1) (iota n))
  in ys ++ xs

-- Programs that number what they keep themselves: places that do not exist are left out, and places of other elements, or after another condition.
-- ==
-- entry: doubles placed others elsewhere
-- input { 0i64 } auto output
-- input { 1i64 } auto output
-- input { 33i64 } auto output
-- input { 4864i64 } auto output
-- input { 20011i64 } auto output
entry doubles (n: i64) =
  let (a, b) = partition (\x -> x < 3) (map (\i -> f64.i64 (i * 7919 % 11)) (iota n))
  in (a, b, filter (\x -> x != 2) b)
def numbered [n] (cs: [n]bool) = scan (+) 0 (map i64.bool cs)
def some [n] (xs: [n]i64) = map (\x -> x * 7919 % 13 < 4) xs
entry placed (n: i64) =
  let cs = some (iota n)
  in scatter (replicate (n / 5) 9) (map2 (\c k -> if c then k - 1 else -1) cs (numbered cs)) (iota n)
entry others (n: i64) =
  let cs = some (iota n)
  in scatter (replicate n 9) (map3 (\i c k -> if c then -1 else i - k) (iota n) cs (numbered cs)) (iota n)
entry elsewhere (n: i64) =
  let cs = some (iota n)
  in scatter (replicate n 9) (map3 (\i c k -> if c && i % 2 == 0 then k - 1 else -1) (iota n) cs (numbered cs)) (iota n)
