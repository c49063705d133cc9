-- Sizes that are too large end the program; they never wrap around.
-- ==
-- entry: unflattened
-- input { 2i64 2i64 1i64 0i64 [1i64,2i64,3i64,4i64] } output { 3i64 }
-- input { 4611686018427387905i64 4i64 1000000i64 2i64 [1i64,2i64,3i64,4i64] } error: Cannot unflatten
-- input { 4294967296i64 4294967296i64 0i64 100i64 empty([0]i64) } error: Cannot unflatten

entry unflattened [k] (n: i64) (m: i64) (i: i64) (j: i64) (xs: [k]i64) =
  (unflatten (xs :> [n * m]i64))[i, j]

-- ==
-- entry: updated
-- input { 1i64 2i64 0i64 1i64 [1i64,2i64] } output { [1i64,42i64] }
-- input { 4294967296i64 4294967296i64 0i64 100i64 empty([0]i64) } error: Cannot unflatten

entry updated [k] (n: i64) (m: i64) (i: i64) (j: i64) (xs: *[k]i64) : [k]i64 =
  let ys = unflatten (xs :> *[n * m]i64)
  let zs = ys with [i, j] = 42
  in flatten zs :> [k]i64

-- ==
-- entry: empty_rows
-- input { 4294967296i64 4294967296i64 empty([0]i64) } error: Cannot unflatten
-- input { 0i64 4294967296i64 empty([0]i64) } output { empty([0][4294967296]i64) }

entry empty_rows [k] (n: i64) (m: i64) (xs: [k]i64) = unflatten (xs :> [n * m]i64)

-- ==
-- entry: joined
-- input { 2i64 } output { [0i8,0i8,1i8,1i8] }
-- input { 4611686018427387904i64 } error: too many elements|out of memory|too large

entry joined (n: i64) = replicate n 0i8 ++ replicate n 1i8

-- ==
-- entry: joined_size
-- input { 2i64 } output { 8i64 }
-- input { 4611686018427387904i64 } error: too many elements|is invalid|too large

entry joined_size (n: i64) =
  length (replicate n 0i8 ++ replicate n 1i8 ++ replicate n 2i8 ++ replicate n 3i8)

-- ==
-- entry: flat_size
-- input { 3i64 2i64 } output { 9i64 4i64 }
-- input { 4294967296i64 7i64 } error: too many elements|is invalid|too large
-- input { 4294967297i64 7i64 } error: too many elements|is invalid|too large
-- input { 3037000500i64 7i64 } error: too many elements|is invalid|too large

entry flat_size (n: i64) (i: i64) =
  let xs = tabulate_2d n n (\i j -> i + j)
  in (length (flatten xs), xs[i, i])

-- ==
-- entry: allocated
-- input { 3i64 1i64 } output { 3i64 }
-- input { 4294967296i64 1i64 } error: does not fit in 63 bits|out of memory

entry allocated (n: i64) (i: i64) = (map (\i -> scan (+) 0 (map (+ i) (iota n))) (iota n))[i, i]

-- An allocation that leaves a loop.
-- ==
-- entry: in_loop
-- input { 3i64 } output { 21i64 }
-- input { 4294967296i64 } error: does not fit in 63 bits|out of memory

entry in_loop (n: i64) =
  loop acc = 0 for i < 3 do
    let a = map (\x -> scan (+) 0 (map (+ acc + x) (iota n))) (iota n)
    in acc + a[i % n, i % n]

-- ==
-- entry: pieces
-- input { [1i64,2i64] } output { [0i64,0i64,1i64] }
-- input { [4611686018427387904i64,4611686018427387904i64,1i64] } error: too many elements|out of memory|too large|does not fit|is invalid

entry pieces (ns: []i64) =
  let (_, _, _, xs) = flatmap' (\n -> iota n) ns in xs
