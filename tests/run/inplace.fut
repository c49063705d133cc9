-- Loops over arrays that are updated in place.
-- ==
-- entry: sieve
-- input { 20i64 } output { [2i64,3,5,7,11,13,17,19] }

entry sieve (n: i64) =
  let marks =
    loop marks = replicate n true
    for i in 2..<n do
      if marks[i]
      then loop marks for k in 2 * i..<(i64.max (2 * i) n) do
        if k % i == 0 then marks with [k] = false else marks
      else marks
  in filter (\i -> i >= 2 && marks[i]) (iota n)

-- ==
-- entry: swap
-- input { [1,2,3] [4,5,6] 3 } output { [4,5,6] [1,2,3] }

entry swap [n] (xs: *[n]i32) (ys: *[n]i32) (k: i32) =
  loop (xs, ys) for _i < k do (ys, xs)

-- ==
-- entry: rows
-- input { [[1,2],[3,4]] } output { [[1,0],[3,0]] }

entry rows [n] (xss: [n][2]i32) = map (\xs -> copy xs with [1] = 0) xss
