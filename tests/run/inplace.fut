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

-- What is written, and where, is known before what is written to is consumed.
-- ==
-- entry: twice
-- input { [1i64, 2, 3] } output { [1i64, 2, 2] }

def first_is [n] (x: i64) (xs: *[n]i64) : *[n]i64 = xs with [0] = x
entry twice (xs: *[]i64) =
  ((first_is 7 xs) with [xs[1]] = xs[1]) with [0] = xs[0]

-- ==
-- entry: of_made_size
-- input { 3i64 } output { [[1i64, 1, 1], [0, 1, 2]] }

def both (k: i64) : *[2][]i64 = [iota k, iota k]
def all 't [n] (x: t) : [n]t = replicate n x
entry of_made_size (k: i64) = both k with [0] = all 1

-- Two arrays that begin alike are two when both are written to.
-- ==
-- entry: written_apart
-- input { [1i64, 2, 1] 7i8 5i64 } output { [0i8, 7, 7, 3, 4] [0i8, 1, 8, 8, 4] }

entry written_apart [n] (is: [n]i64) (x: i8) (k: i64) =
  let a = scatter (copy (tabulate k i8.i64)) is (replicate n x)
  let b = scatter (copy (tabulate k i8.i64)) (map (+ 1) is) (replicate n (x + 1))
  in (a, b)

-- What is taken of a concatenation does not reach into the next row.
-- ==
-- entry: first_of_joined
-- input { [5i64, 1, 2] } output { [[0i64, 1, 2], [6, 8, 11], [7, 10, 14]] }

entry first_of_joined [n] (xs: [n]i64) : [n][n]i64 =
  map (\x -> if x > 3 then iota n
             else take n (concat (scan (+) 0 (map (+ x) xs)) (scan (*) 1 (map (+ x) xs))) :> [n]i64) xs

-- What each row gets is the same for all, and is computed in each; rows that are too short fail, unless there are none.
-- ==
-- entry: rows_begin_alike
-- input { [[1, 2, 3], [4, 5, 6]] 10 } output { [[10, 2, 11], [10, 5, 11]] }
-- input { [[1, 2], [4, 5]] 10 } error: out of bounds
-- input { empty([0][1]i32) 10 } output { empty([0][1]i32) }
entry rows_begin_alike [n] [m] (yss: *[n][m]i32) (x: i32) : [n][m]i32 =
  map (\(ys: [m]i32) -> (copy ys) with [0:3:2] = map (\i -> i32.i64 i + x) (iota 2)) yss
