-- Partitions: each class in one pass, with an array of its own. No elements, all or none in a class, tuples, rows, counts alone, inside of nests.
-- ==
-- entry: halves thirds guarded all none tuples counted first rest joined expensive in_loop
-- input { empty([0]i32) } auto output
-- input { [5] } auto output
-- input { [-5] } auto output
-- random input { [257]i32 } auto output
-- random input { [10001]i32 } auto output

-- ==
-- entry: rows inside sums_inside joined_inside
-- random input { [0][3]i32 } auto output
-- random input { [33][0]i32 } auto output
-- random input { [100][31]i32 } auto output
-- random input { [3][2000]i32 } auto output

entry halves (xs: []i32) = partition (> 0) xs
entry thirds (xs: []i32) = partition2 (\x -> x % 3 == 0) (\x -> x % 3 == 1) xs

-- The second predicate is only asked where the first does not hold.
entry guarded (xs: []i32) = partition2 (== 0) (\x -> 1000 / x > 2) (map (% 10) xs)

entry all (xs: []i32) = partition (\x -> x == x) xs
entry none (xs: []i32) = partition2 (\x -> x != x) (\x -> x < 0 && x > 0) xs

entry tuples [n] (xs: [n]i32) =
  let (a, b) = partition (\(x, i) -> x > 0 || i % 7 == 0) (zip xs (iota n))
  let (xs, is) = unzip a
  let (ys, js) = unzip b
  in (xs, is, ys, js)

entry counted (xs: []i32) =
  let (a, b, c) = partition2 (> 1000) (< -1000) xs
  in (length a, length b, length c)

entry first (xs: []i32) = (partition (> 7) xs).0
entry rest (xs: []i32) = (partition (> 7) xs).1

entry joined [n] (xs: [n]i32) : [n]i32 =
  let (a, b) = partition (\x -> x & 1 == 0) xs
  in concat b a :> [n]i32

def collatz (x: i32) : i32 =
  (loop (x, n) = ((x & 1023) + 1, 0) while x != 1 do (if x % 2 == 0 then x / 2 else 3 * x + 1, n + 1)).1

entry expensive (xs: []i32) = partition (\x -> collatz x > 30) xs

entry in_loop [n] (xs: [n]i32) : [n]i32 =
  loop xs for i < 8 do
    let (a, b) = partition (\x -> (x >> i) & 1 == 0) xs
    in concat a b :> [n]i32

entry rows [n] [m] (xss: [n][m]i32) = partition (\xs -> length xs > 0 && xs[0] > 0) xss
entry inside [n] [m] (xss: [n][m]i32) =
  map (\xs -> let (a, b) = partition (> 0) xs
              in (length a, if null b then 0 else last b)) xss |> unzip
entry sums_inside [n] [m] (xss: [n][m]i32) =
  map (\xs -> let (a, b, c) = partition2 (> 0) (\x -> x % 2 == 0) xs
              in i32.sum a + 3 * i32.sum b + 5 * i32.sum c) xss
entry joined_inside [n] [m] (xss: [n][m]i32) : [n][m]i32 =
  map (\xs -> let (a, b, c) = partition2 (\x -> x % 3 == 0) (> 0) xs
              in concat (concat c a) b :> [m]i32) xss
