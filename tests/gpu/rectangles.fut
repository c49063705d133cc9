-- Rectangles of an array that a thread block reads along diagonals, a part in each iteration of a loop: they are copied to shared memory first.
-- ==
-- entry: triangle
-- input { 3i64 5i64 } auto output
-- input { 2i64 64i64 } auto output
-- input { 4i64 0i64 } auto output

-- One half of each square, with numbers that were narrow in between.
entry triangle (k: i64) (b: i64) : [][]i32 =
  let b = i64.min b 32
  let xss = opaque (tabulate_2d 70 90 (\i j -> i32.i64 ((i * 7 + j * 3) % 31)))
  in #[incremental_flattening(only_intra)]
     tabulate k (\g ->
                   #[unsafe]
                   loop acc = replicate b 1i32
                   for i < b do
                     map (\t ->
                            let y = i32.i64 (i - t)
                            let x = i32.i64 (t + 1) - 1
                            in if t <= i then acc[b - 1 - t] + xss[g * 5 + i64.i32 y, g * 7 + i64.i32 x] else acc[t])
                         (iota b))

-- Two loops over the two halves; the last rows and columns are those of the array.
-- ==
-- entry: square
-- input { 3i64 16i64 } auto output
-- input { 1i64 33i64 } auto output

entry square (k: i64) (b: i64) : [][]f64 =
  let b = i64.min b 32
  let xss = opaque (tabulate_2d (k * b) b (\i j -> f64.i64 ((i * 5 + j * 11) % 23)))
  in #[incremental_flattening(only_intra)]
     tabulate k (\g ->
                   #[unsafe]
                   let acc =
                     loop acc = replicate b 1f64
                     for i < b do
                       map (\t -> if t <= i then acc[b - 1 - t] + xss[g * b + i - t, t] else acc[t]) (iota b)
                   in loop acc for i < b - 1 do
                        map (\t ->
                               let m = b - 2 - i
                               in if t <= m then acc[b - 1 - t] * 0.5 - xss[g * b + b - 1 - t, i + t + 1] else acc[t])
                            (iota b))

-- A guard keeps reads inside of the array, of which the rectangles are larger; one dimension more is the same for all threads.
-- ==
-- entry: beyond
-- input { 3i64 20i64 } auto output
-- input { 2i64 1i64 } auto output

entry beyond (k: i64) (b: i64) : [][]i32 =
  let b = i64.min b 64
  let xsss = opaque (tabulate_3d 2 17 (b + 3) (\h i j -> i32.i64 ((h * 13 + i * 7 + j * 3) % 31)))
  in #[incremental_flattening(only_intra)]
     tabulate k (\g ->
                   #[unsafe]
                   loop acc = replicate b 1i32
                   for i < b do
                     map (\t ->
                            let y = i - t + g * 6 - 3
                            in if t <= i && 0 <= y && y < 17
                               then acc[b - 1 - t] + xsss[g % 2, y, t + 1]
                               else acc[t])
                         (iota b))

-- Backwards, by twos, and with two loops around.
-- ==
-- entry: steps
-- input { 3i64 12i64 } auto output

entry steps (k: i64) (b: i64) : [][]i32 =
  let b = i64.min b 16
  let xss = opaque (tabulate_2d 120 40 (\i j -> i32.i64 ((i * 7 + j * 3) % 31)))
  in #[incremental_flattening(only_intra)]
     tabulate k (\g ->
                   #[unsafe]
                   loop acc = replicate b 1i32
                   for h < 3 do
                     loop acc for i < b do
                       map (\t -> acc[b - 1 - t] ^ xss[g + 60 - 2 * t + i, h + 2 * i]) (iota b))

-- Each block has its own number of iterations, which the host does not know: nothing is copied.
-- ==
-- entry: own_sides
-- input { [0i64, 1i64, 5i64, 16i64, 20i64] } auto output
-- input { empty([0]i64) } auto output

entry own_sides [k] (ns: [k]i64) : [k]i32 =
  let xss = opaque (tabulate_2d 70 90 (\i j -> i32.i64 ((i * 7 + j * 3) % 31)))
  in #[incremental_flattening(only_intra)]
     map (\n ->
            #[unsafe]
            let m = i64.max 0 (i64.min 15 n) + 1
            let acc =
              loop acc = replicate 32 1i32
              for i < m - 1 do
                map (\t -> if t <= i then acc[31 - t] + xss[i - t, t] else acc[t]) (iota 32)
            in i32.sum acc)
         ns
