-- Sums of rows of different sizes whose elements are read: blocks have equal shares of rows and elements. Rows that go through several shares, many empty rows at the ends and between others,
-- operators that do not commute, and values of several types.
-- ==
-- entry: sums in_order latest several of_rows
-- input { empty([0]i64) } auto output
-- input { [0i64] } auto output
-- input { [0i64, 0i64, 0i64, 0i64] } auto output
-- input { [1i64] } auto output
-- input { [5000i64] } auto output
-- input { [0i64, 0i64, 1791i64, 1i64, 0i64, 1792i64, 0i64, 1793i64, 0i64] } auto output
-- input { [3i64, 4000i64, 0i64, 2i64, 9000i64, 1i64, 1i64, 0i64] } auto output

-- ==
-- entry: mostly_empty
-- input { 0i64 0i64 } auto output
-- input { 10000i64 0i64 } auto output
-- input { 10000i64 3i64 } auto output
-- input { 20000i64 4000i64 } auto output

-- ==
-- entry: checked checked_by_default
-- input { [2i64, 1i64] [3, 4, 5] } output { [7i64, 5i64] }
-- input { [2i64, 2i64] [3, 4, 5] } error: Index \[3\]
-- input { [2i64, -1i64] [3, 4, 5] } error: Range
-- input { [-5i64, 2i64] [3, 4, 5] } error: Range
-- input { [4611686018427387904i64, 4611686018427387904i64] [3, 4, 5] } error: Range

-- The program has the ends of rows: they are not computed again.
-- ==
-- entry: given given_in_order given_and_more given_twice
-- input { empty([0]i64) } auto output
-- input { [0i64] } auto output
-- input { [0i64, 0i64, 0i64, 0i64] } auto output
-- input { [5000i64] } auto output
-- input { [0i64, 0i64, 1791i64, 1i64, 0i64, 1792i64, 0i64, 1793i64, 0i64] } auto output
-- input { [3i64, 4000i64, 0i64, 2i64, 9000i64, 1i64, 1i64, 0i64] } auto output

-- A single row: all places have an element.
-- ==
-- entry: single
-- input { 0i64 [3i64, 4i64, 5i64] } output { [0i64] }
-- input { 3i64 [3i64, 4i64, 5i64] } output { [12i64] }
-- input { 4i64 [3i64, 4i64, 5i64] } error: Index \[3\]
-- input { -1i64 [3i64, 4i64, 5i64] } error: Range

-- At most one row: it starts at 0, which the compiler knows.
-- ==
-- entry: at_most_one
-- input { empty([0]i64) [3i64, 4i64, 5i64] } output { empty([0]i64) }
-- input { [0i64] [3i64, 4i64, 5i64] } output { [0i64] }
-- input { [2i64, 3i64] [3i64, 4i64, 5i64] } output { [7i64] }
-- input { [4i64, 2i64] [3i64, 4i64, 5i64] } error: Index \[3\]

-- Conditions of the program that look like the one that tells elements from places behind them.
-- ==
-- entry: limited
-- input { [3i64, 0i64, 2i64, 4i64] [7i64, 3i64, 9i64, 1i64] [1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64, 9i64] }
-- output { [6i64, 0i64, 9i64, 3000i64] }

-- Attributes of a program that passes give to each other.
-- ==
-- entry: marked
-- input { [0i64, 1i64, 2i64, 7i64, 0i64, 3i64, 8i64] [3i64, 1i64, 4i64, 1i64, 5i64, 9i64, 2i64, 6i64] }
-- output { [8i64, 10i64, 10i64, 26i64, 8i64, 13i64, 31i64] }

def element (i: i64) : i64 = i * 7919 % 1009 - 500

entry sums (sizes: []i64) : []i64 =
  let ends = scan (+) 0 sizes
  let xs = map element (iota (i64.sum sizes))
  in #[flattening(only_inner)] map2 (\size end -> i64.sum (map (\i -> xs[i]) ((end - size)..<end))) sizes ends

-- Functions x -> a x + b, one after the other.
entry in_order (sizes: []i64) : ([]i32, []i32) =
  let after (a: i32, b: i32) (c: i32, d: i32) = (a * c, b * c + d)
  let ends = scan (+) 0 sizes
  let xs = map (\i -> i32.i64 (element i)) (iota (i64.sum sizes))
  let row size end = reduce after (1, 0) (map (\i -> (xs[i] | 1, 3 * xs[i])) ((end - size)..<end))
  in unzip (#[flattening(only_inner)] map2 row sizes ends)

entry latest (sizes: []i64) : []i16 =
  let ends = scan (+) 0 sizes
  let xs = map (\i -> i16.i64 (element i)) (iota (i64.sum sizes))
  let later (a: i16) (b: i16) = if b == i16.lowest then a else b
  let row size end = 1 + reduce later i16.lowest (map (\i -> if xs[i] < 0 then i16.lowest else xs[i]) ((end - size)..<end))
  in #[flattening(only_inner)] map2 row sizes ends

-- Three reductions of a row, one of which needs a value of the row.
entry several (sizes: []i64) : ([]i32, []i64, []i64) =
  let ends = scan (+) 0 sizes
  let xs = map (\i -> i32.i64 (element i)) (iota (i64.sum sizes))
  let row size end =
    let places = (end - size)..<end
    in ( i32.maximum (map (\i -> xs[i]) places)
       , i64.sum (map (\i -> if xs[i] > 0 then 1 else 0) places)
       , i64.sum (map (\i -> i64.i32 xs[i] * (end - i)) places))
  in unzip3 (#[flattening(only_inner)] map2 row sizes ends)

-- Elements of rows that are stored, not of an array from outside.
entry of_rows (sizes: []i64) : []i64 =
  let row size = let xs = scan (+) 0 (map element (iota size)) in i64.sum (map2 (\x i -> x ^ i) xs (iota size))
  in #[flattening(only_inner)] map row sizes

entry mostly_empty (rows: i64) (long: i64) : []i64 =
  let sizes = tabulate rows (\i -> if i == rows / 2 then long else i64.bool (i % 4001 == 17))
  let ends = scan (+) 0 sizes
  let xs = map element (iota (i64.sum sizes))
  in #[flattening(only_inner)] map2 (\size end -> i64.sum (map (\i -> xs[i]) ((end - size)..<end))) sizes ends

entry checked (sizes: []i64) (xs: []i32) : []i64 =
  let ends = scan (+) 0 sizes
  in #[flattening(only_inner)] map2 (\size end -> i64.sum (map (\i -> i64.i32 xs[i]) ((end - size)..<end))) sizes ends

-- The sum of sizes that chose this version is not computed again.
entry checked_by_default (sizes: []i64) (xs: []i32) : []i64 =
  let ends = scan (+) 0 sizes
  in map2 (\size end -> i64.sum (map (\i -> i64.i32 xs[i]) ((end - size)..<end))) sizes ends

entry given (sizes: []i64) : []i64 =
  let ends = scan (+) 0 sizes
  let xs = map element (iota (i64.sum sizes))
  in map2 (\size end -> i64.sum (map (\i -> xs[i]) ((end - size)..<end))) sizes ends

entry given_in_order (sizes: []i64) : ([]i32, []i32) =
  let after (a: i32, b: i32) (c: i32, d: i32) = (a * c, b * c + d)
  let starts = map2 (-) (scan (+) 0 sizes) sizes
  let xs = map (\i -> i32.i64 (element i)) (iota (i64.sum sizes))
  let row size start = reduce after (1, 0) (map (\i -> (xs[start + i] | 1, 3 * xs[start + i])) (iota size))
  in unzip (map2 row sizes starts)

-- Elements depend on the place in the row, on its size, and on what is stored for it; where the row starts is also a result.
entry given_and_more (sizes: []i64) : ([]i64, []i64, []i64) =
  let ends = scan (+) 0 sizes
  let xs = map element (iota (i64.sum sizes))
  let row size end =
    let start = end - size
    let ys = scan (+) 0 (map (\i -> xs[start + i] % 7) (iota size))
    in ( start
       , i64.sum (map (\i -> xs[i] * (i - start) + size) (start..<end))
       , i64.sum (map2 (\y i -> y ^ xs[start + i]) ys (iota size)))
  in unzip3 (map2 row sizes ends)

-- Sizes and their sums come from one operation; another array has sums that are not its ends.
entry given_twice (ns: []i64) : []i64 =
  let sizes = map (\n -> n / 2 + n % 3) ns
  let ends = scan (+) 0 sizes
  let others = scan (+) 0 (map (+ 1) sizes)
  let xs = map element (iota (i64.sum sizes))
  in map3 (\size end other -> other + i64.sum (map (\i -> xs[i]) ((end - size)..<end))) sizes ends others

entry limited [n] [m] (sizes: [n]i64) (limits: [n]i64) (xs: [m]i64) : [n]i64 =
  let starts = map2 (-) (scan (+) 0 sizes) sizes
  let term start limit i = if 5 < limit then xs[start + i] else xs[start + i] * 100
  in map3 (\start size limit -> i64.sum (map (term start limit) (iota size))) starts sizes limits

entry marked [k] [m] (ns: [k]i64) (xs: [m]i64) : [k]i64 =
  let sum n = #[schedule(row_ends)] reduce (+) 0 (map2 (\j x -> let c = j < n in #[row_ends] (if c then x else 1)) (iota m) xs)
  in map sum ns

entry single (size: i64) (xs: []i64) : []i64 =
  #[flattening(only_inner)] map (\n -> i64.sum (map (\i -> xs[i]) (iota n))) [size]

entry at_most_one (sizes: []i64) (xs: []i64) : []i64 =
  let row size = i64.sum (map (\i -> xs[i]) (iota size))
  in #[flattening(only_inner)] map row (take (i64.min 1 (length sizes)) sizes)
