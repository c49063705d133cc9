-- Sizes known only at run time.
-- ==
-- entry: grow
-- input { 3i64 } output { [0i64,0,1,0,1,2] 6i64 }
-- input { 0i64 } output { empty([0]i64) 0i64 }

entry grow (n: i64) =
  let xs = loop xs = [] for i < n do xs ++ iota (i + 1)
  in (xs, length xs)

-- ==
-- entry: choose
-- input { true 2i64 } output { [0i64,1] }
-- input { false 2i64 } output { [7i64,7,7] }

entry choose (b: bool) (n: i64) : []i64 = if b then iota n else replicate (n + 1) 7

-- ==
-- entry: coerced
-- input { [1,2,3] 3i64 } output { 6 }
-- input { [1,2,3] 2i64 } error: cannot match shape of type.*\[2\]i32

entry coerced (xs: []i32) (n: i64) = i32.sum (xs :> [n]i32)

-- ==
-- entry: doubled
-- input { [1,2] } output { [1,1,2,2] }

entry doubled [n] (xs: [n]i32) : [n * 2]i32 = flatten (map (\x -> [x, x]) xs)

-- Sizes that functions learn from their arguments: by name, through a signature, in part, as rows, and not at all.
-- ==
-- entry: learned
-- input { [1,2,3] [4] } output { 7i64 4i64 20 8i64 16i64 4i64 4i64 8i64 6i64 2i64 20 [1,2,3,4,1,2,3,4,4] }
-- input { empty([0]i32) empty([0]i32) } output { 0i64 0i64 0 0i64 0i64 0i64 0i64 0i64 0i64 0i64 0 empty([0]i32) }

module type joins = { val join [n] [m] : [n]i32 -> [m]i32 -> [n + m]i32 }
module joining : joins = { def join [n] [m] (xs: [n]i32) (ys: [m]i32) : [n + m]i32 = xs ++ ys }
def sized [n] (xs: [n]i32) (g: [n]i32 -> i32) : (i64, i32) = (n, g xs)
def twice [n] 't (xs: [n]t) : [n + n]t = xs ++ xs
def dims [n] [m] (_: [n][m]i32) : (i64, i64) = (n, m)
def unnamed [n] : [n]i32 -> i64 = \(_: [n]i32) -> n
def in_pair [n] [m] (xs: [n]i32, ys: [m]i32) = (n, m, i32.sum xs + i32.sum ys)
entry learned [a] [b] (xs: [a]i32) (ys: [b]i32) =
  let partly = sized (xs ++ ys ++ xs)
  let (n, s) = partly i32.sum
  let (m, t) = sized (joining.join xs ys) (const 0)
  let (r, c) = dims (map (\x -> map (+ x) (xs ++ ys)) (ys ++ xs))
  let (p, q, w) = in_pair (twice xs, ys ++ ys)
  in ( n, m, s + t + i32.sum ys
     , length (twice (xs ++ ys)), length (twice (twice (xs ++ ys))), r, c, unnamed (twice (xs ++ ys)), p, q, w
     , joining.join (twice (joining.join xs ys)) ys)

-- Sizes that are known and never agree.
-- ==
-- entry: joined joined_rows joined_in_map joined_in_loop joined_slices
-- input { [1,2,3,4] } error: cannot match shape of type
-- input { [1,2,3,4,5] } error: cannot match shape of type

def sized_as (n: i64) (xs: []i32) : [n]i32 = xs :> [n]i32
def four (xs: []i32) : [4]i32 = sized_as 4 xs

entry joined (xs: []i32) = let ys = four (four xs ++ four xs) in i32.sum (map2 (*) ys (four xs))
entry joined_rows (xs: []i32) = transpose ((transpose [four xs, [1, 2, 3, 4]] ++ [[5, 6]]) :> [4][2]i32)
entry joined_in_map (xs: []i32) = map (\i -> four (four xs ++ replicate 3 i)) [1, 2]
entry joined_in_loop (xs: []i32) = loop ys = four xs for i < 2i32 do map (+ i) (four (ys ++ ys))
entry joined_slices (xs: []i32) = sized_as 3 (sized_as 5 (four xs)[0:3] ++ (four xs)[1:3])
