-- What is made only to be put into another array is made there, unless that would overwrite what is still to be read.

-- An update by something new, with and without a check.
-- ==
-- entry: row
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] [7i32, 8i32, 9i32] 1i64 } auto output
-- input { empty([0][3]i32) [7i32, 8i32, 9i32] 0i64 } error: out of bounds
entry row [n] [m] (yss: *[n][m]i32) (xs: [m]i32) (i: i64) : *[n][m]i32 = yss with [i] = map (+ 1) xs

-- The index is computed after the value, from another array.
-- ==
-- entry: computed_index
-- input { [[1i32, 2i32], [4i32, 5i32], [0i32, 0i32]] [7i32, 8i32] [9i64, 1i64] } auto output
entry computed_index [n] [m] (yss: *[n][m]i32) (xs: [m]i32) (is: [m]i64) : *[n][m]i32 =
  let zs = scan (+) 0 xs
  let i = is[1] + 1
  in yss with [i] = zs

-- The index depends on the value.
-- ==
-- entry: index_from_value
-- input { [[1i64, 2i64], [4i64, 5i64], [0i64, 0i64]] [1i64, 8i64] } auto output
entry index_from_value [n] [m] (yss: *[n][m]i64) (xs: [m]i64) : *[n][m]i64 =
  let zs = scan (+) 0 xs
  in yss with [zs[0]] = zs

-- The parts of a concatenation.
-- ==
-- entry: parts
-- input { [1i32, 2i32] [3i32] } auto output
-- input { empty([0]i32) empty([0]i32) } auto output
entry parts [n] [m] (xs: [n]i32) (ys: [m]i32) : []i32 =
  map (+ 1) xs ++ replicate 3 7 ++ map (* 2) ys

-- A read in between, of another row or of the same.
-- ==
-- entry: reads_other_row
-- input { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] [7i32, 8i32] } auto output
entry reads_other_row [n] [m] (yss: *[n][m]i32) (xs: [m]i32) : (*[n][m]i32, i32) =
  let zs = scan (+) 0 xs
  let s = i32.sum yss[2]
  in (yss with [1] = zs, s)

-- ==
-- entry: reads_same_row
-- input { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] [7i32, 8i32] } auto output
entry reads_same_row [n] [m] (yss: *[n][m]i32) (xs: [m]i32) : (*[n][m]i32, i32) =
  let zs = scan (+) 0 xs
  let s = i32.sum yss[1]
  in (yss with [1] = zs, s)

-- ==
-- entry: reads_unknown_row
-- input { 0i64 [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
-- input { 1i64 [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
entry reads_unknown_row [n] [m] (k: i64) (yss: *[n][m]i32) (xs: [m]i32) : (*[n][m]i32, i32) =
  let zs = scan (+) 0 xs
  let s = i32.sum yss[k]
  in (yss with [1] = zs, s)

-- The value is made from the row that it replaces, in order, in another order, or from a neighbour.
-- ==
-- entry: same_place
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } auto output
entry same_place [n] [m] (yss: *[n][m]i32) : *[n][m]i32 =
  #[unsafe] (yss with [1] = map (+ 1) yss[1])

-- ==
-- entry: reversed
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } auto output
entry reversed [n] [m] (yss: *[n][m]i32) : *[n][m]i32 =
  #[unsafe] (yss with [1] = map (+ 1) (reverse yss[1]))

-- ==
-- entry: from_neighbours
-- input { [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] } auto output
entry from_neighbours [n] (ys: *[n]i32) : *[n]i32 =
  #[unsafe] (ys with [1:n - 1] = tabulate (n - 1 - 1) (\i -> ys[i] + 10 * ys[i + 2]))

-- ==
-- entry: next_row
-- input { 3i64 [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32], [0i32, 0i32]] } auto output
entry next_row [n] [m] (t: i64) (yss: *[n][m]i32) : *[n][m]i32 =
  loop yss for i < t do yss with [i + 1] = map (* 3) yss[i]

-- ==
-- entry: diagonal
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32], [7i32, 8i32, 9i32]] } auto output
entry diagonal [n] (yss: *[n][n]i32) : *[n][n]i32 =
  let ys = flatten yss
  let ys = #[unsafe] (ys with [0:n * n:n + 1] = map (\i -> ys[i * (n + 1)] + 1) (iota n) :> [n * n]i32)
  in unflatten ys

-- Transposed and cut in pieces.
-- ==
-- entry: transposed
-- input { [[[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]]] [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } auto output
entry transposed [p] [m] [n] (ysss: *[p][m][n]i32) (xss: [n][m]i32) : (*[p][m][n]i32, i32) =
  #[unsafe] let zss = map (map (+ 1)) xss
            let s = i32.sum zss[1]
            in (ysss with [0] = transpose zss, s)

-- ==
-- entry: block
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32], [7i32, 8i32, 9i32]] 1i64 } auto output
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32], [7i32, 8i32, 9i32]] 0i64 } auto output
entry block [n] (yss: *[n][n]i32) (i: i64) : *[n][n]i32 =
  #[unsafe] (yss with [i:i + 2, 1:3] = (tabulate_2d 2 2 (\j k -> i32.i64 (j * 10 + k)) :> [i + 2 - i][2]i32))

-- Loops and branches that make the value.
-- ==
-- entry: loop_in_place
-- input { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] } auto output
entry loop_in_place [n] [m] (yss: *[n][m]i32) : *[n][m]i32 =
  #[unsafe] let zs = loop zs = replicate m 0 for i < m do zs with [i] = yss[1, i] + 1
            in yss with [0] = zs

-- ==
-- entry: loop_reads_what_it_overwrites
-- input { [[1i32, 2i32, 3i32], [3i32, 4i32, 5i32]] } auto output
entry loop_reads_what_it_overwrites [n] [m] (yss: *[n][m]i32) : *[n][m]i32 =
  #[unsafe] let zs = loop zs = replicate m 0 for i < m do zs with [i] = yss[0, m - 1 - i] + 1
            in yss with [0] = zs

-- ==
-- entry: branches
-- input { true [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
-- input { false [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
entry branches [n] [m] (c: bool) (yss: *[n][m]i32) (xs: [m]i32) : *[n][m]i32 =
  #[unsafe] (yss with [0] = if c then scan (+) 0 xs else map2 (+) yss[1] xs)

-- ==
-- entry: branch_returns_a_view
-- input { true [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
-- input { false [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
entry branch_returns_a_view [n] [m] (c: bool) (yss: *[n][m]i32) (xs: [m]i32) : *[n][m]i32 =
  #[unsafe] (yss with [0] = if c then scan (+) 0 xs else xs)

-- The value is used afterwards: before and after its place is overwritten.
-- ==
-- entry: used_after
-- input { [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
entry used_after [n] [m] (yss: *[n][m]i32) (xs: [m]i32) : (*[n][m]i32, i32, [m]i32) =
  #[unsafe] let zs = scan (+) 0 xs
            let yss = yss with [0] = zs
            in (yss, zs[1], scan i32.max 0 zs)

-- ==
-- entry: overwritten_elsewhere
-- input { [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
entry overwritten_elsewhere [n] [m] (yss: *[n][m]i32) (xs: [m]i32) : (*[n][m]i32, [m]i32) =
  #[unsafe] let zs = scan (+) 0 xs
            let yss = yss with [0] = zs
            let yss = yss with [1, 0] = 100
            in (yss, scan i32.max 0 zs)

-- ==
-- entry: overwritten_there
-- input { [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
entry overwritten_there [n] [m] (yss: *[n][m]i32) (xs: [m]i32) : (*[n][m]i32, [m]i32) =
  #[unsafe] let zs = scan (+) 0 xs
            let yss = yss with [0] = zs
            let yss = yss with [0, 1] = 100
            in (yss, scan i32.max 0 zs)

-- ==
-- entry: overwritten_somewhere
-- input { 0i64 [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
-- input { 1i64 [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
entry overwritten_somewhere [n] [m] (k: i64) (yss: *[n][m]i32) (xs: [m]i32) : (*[n][m]i32, [m]i32) =
  #[unsafe] let zs = scan (+) 0 xs
            let yss = yss with [0] = zs
            let yss = yss with [k, 0] = 100
            in (yss, scan i32.max 0 zs)

-- The value changes after it was put somewhere.
-- ==
-- entry: changed_after
-- input { [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
entry changed_after [n] [m] (yss: *[n][m]i32) (xs: [m]i32) : (*[n][m]i32, [m]i32) =
  #[unsafe] let zs = scan (+) 0 xs
            let yss = yss with [0] = zs
            in (yss, zs with [0] = 5)

-- Chains, and one value in two places.
-- ==
-- entry: chain
-- input { [[1i32, 2i32, 3i32], [3i32, 4i32, 5i32]] [7i32, 8i32, 9i32] } auto output
entry chain [n] [m] (yss: *[n][m]i32) (xs: [m]i32) : *[n][m]i32 =
  #[unsafe] let zs = replicate m 0
            let zs = zs with [0:2] = map (+ 1) (take 2 xs)
            in yss with [0] = zs

-- ==
-- entry: twice
-- input { [[1i32, 2i32], [3i32, 4i32]] [7i32, 8i32] } auto output
entry twice [n] [m] (yss: *[n][m]i32) (xs: [m]i32) : *[n][m]i32 =
  #[unsafe] let zs = scan (+) 0 xs
            let yss = yss with [0] = zs
            in yss with [1] = zs

-- ==
-- entry: twice_there
-- input { [1i32, 2i32, 3i32] } auto output
entry twice_there [n] (xs: [n]i32) : []i32 =
  let zs = scan (+) 0 xs
  in zs ++ zs

-- Blocks along an antidiagonal of a flat matrix, which read their neighbours.
-- ==
-- entry: wavefront
-- input { 3i64 2i64 } auto output
-- input { 1i64 4i64 } auto output
-- input { 2i64 1i64 } auto output
entry wavefront (q: i64) (b: i64) : []i64 =
  let n = q * b + 1
  let m = tabulate_2d n n (\i j -> if i == 0 then j else if j == 0 then i else 0)
  let m =
    loop m for d < q do
      let rows =
        tabulate (d + 1) (\k -> tabulate b (\r -> m[(d - k) * b + 1 + r, k * b] + m[(d - k) * b, k * b + 1 + r]))
      in loop m for k < d + 1 do m with [(d - k) * b + 1:(d - k) * b + 1 + b, k * b + 1] = (rows[k] :> [(d - k) * b + 1 + b - ((d - k) * b + 1)]i64)
  in flatten m

-- What is turned around is made that way, from its end; all of it, and along one of two dimensions or both.
-- ==
-- entry: turned_around
-- input { [[1i32, 2i32, 3i32, 4i32], [5i32, 6i32, 7i32, 8i32]] } auto output
-- input { empty([0][4]i32) } auto output
-- input { empty([2][0]i32) } auto output
entry turned_around [n] [m] (xss: [n][m]i32) : ([n][m]i32, [n][m]i32, [n][m]i32, [][m]i32) =
  let rows = map (\xs -> reverse (map (+ 1) (scan (+) 0 xs))) xss
  let a = map (map (* 3)) xss
  let b = reverse (map reverse a)
  let c = reverse (map (map (+ 7)) xss) ++ map (map (+ 8)) xss
  in (rows, b, reverse (copy xss), c)

-- Only a part is turned around, or more than once.
-- ==
-- entry: partly_turned_around
-- input { [1i32, 2i32, 3i32, 4i32, 5i32] [0i32, 0i32, 0i32, 0i32, 0i32] } auto output
entry partly_turned_around [n] (xs: [n]i32) (ys: *[n]i32) : ([]i32, *[n]i32) =
  let zs = map (\x -> x * x) xs
  let some = reverse (copy (zs[1:n - 1]))
  let ys[::-1] = reverse (map (+ 1) zs)
  in (some ++ reverse (reverse zs)[::-2], ys)

-- Rows whose halves change places, in columns of a matrix: sizes by which places differ are only known to be sizes. Twice, as in
-- programs that permute the bits of indices.
-- ==
-- entry: transposed_rows
-- input { 2i64 3i64 [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32], [7i32, 8i32], [9i32, 10i32], [11i32, 12i32]] } auto output
-- input { 4i64 1i64 [[1i32], [2i32], [3i32], [4i32]] } auto output
-- input { 0i64 3i64 empty([0][2]i32) } auto output
-- input { 1i64 2i64 empty([2][0]i32) } auto output
-- input { -2i64 -1i64 [[1i32], [2i32]] } error: unflatten
entry transposed_rows [k] (n: i64) (m: i64) (xss: [n * m][k]i32) : ([]i32, []i32) =
  let turn [q] (yss: *[n * m][q]i32) : *[m * n][q]i32 =
    transpose (copy (map (\xs -> flatten (transpose (unflatten (copy xs)))) (transpose yss)))
  let once = turn (copy xss)
  let twice = turn (copy (turn (map (map (* 3)) xss) :> [n * m][k]i32))
  in (flatten once, flatten twice)
