-- Stencils whose points inside of the space need no tests for its edges: by clamped indices, by branches, around a torus, in one, two and three
-- dimensions, with a loop over neighbours, and with checks. The number of elements that differ from those of a loop of one thread.
-- ==
-- entry: clamped_2d branches_2d torus_2d window_2d checked_2d narrow_2d
-- input { 1i64 1i64 } output { 0i64 }
-- input { 2i64 3i64 } output { 0i64 }
-- input { 5i64 4i64 } output { 0i64 }
-- input { 37i64 70i64 } output { 0i64 }
-- input { 700i64 768i64 } output { 0i64 }

-- ==
-- entry: torus_1d clamped_3d narrow_3d
-- input { 1i64 } output { 0i64 }
-- input { 3i64 } output { 0i64 }
-- input { 9i64 } output { 0i64 }
-- input { 82i64 } output { 0i64 }

def number (i: i64) (j: i64) : i64 = (i * 31 + j * 17 + i * j) % 101

-- What a stencil gives by threads of their own, and by one loop for all points.
def differing (n: i64) (m: i64) (f: (i64 -> i64 -> i64) -> i64 -> i64 -> i64) (a: [n][m]i64) : i64 =
  let fast = tabulate_2d n m (\i j -> f (\i j -> a[i, j]) i j)
  in i64.sum (flatten (map2 (\i row -> map2 (\j x -> i64.bool (x != f number i j)) (iota m) row) (iota n) fast))

def grid (n: i64) (m: i64) : [n][m]i64 = opaque (tabulate_2d n m number)

entry clamped_2d (n: i64) (m: i64) : i64 =
  let f at i j =
    at (i64.max 0 (i - 1)) j + 3 * at (i64.min (n - 1) (i + 1)) j
    + 5 * at i (i64.max 0 (j - 2))
    + 7 * at i (i64.min (m - 1) (j + 1))
    + 11 * at i j
  in differing n m f (grid n m)

entry branches_2d (n: i64) (m: i64) : i64 =
  let f at i j =
    let up = if i == 0 then 1 else at (i - 1) j
    let down = if i < n - 1 then at (i + 1) j else 2
    let left = if j >= 1 && i != n - 1 then at i (j - 1) else 3
    let right = if !(j + 1 < m) then 4 else at i (j + 1)
    in up + 3 * down + 5 * left + 7 * right
  in differing n m f (grid n m)

entry torus_2d (n: i64) (m: i64) : i64 =
  let f at i j = at ((i - 1) % n) j + 3 * at ((i + 1) % n) j + 5 * at i ((j + m - 1) % m) + 7 * at ((i + n) // (n + n)) ((j + 1) %% m)
  in differing n m f (grid n m)

entry window_2d (n: i64) (m: i64) : i64 =
  let f at i j =
    loop s = 0
    for k < 5 do
      s * 3 + at (i64.min (n - 1) (i64.max 0 (i + k - 2))) (i64.max 0 (i64.min (m - 1) (j - k + 2)))
  in differing n m f (grid n m)

-- Every index has a check, which holds.
entry checked_2d (n: i64) (m: i64) : i64 =
  let a = grid n m
  let up i = if i > 0 then i - 1 else 0
  let b = tabulate_2d n m (\i j -> a[up i, up j] + a[i64.min (i + 1) (n - 1), j])
  in i64.sum (flatten (tabulate_2d n m (\i j ->
                                          i64.bool (b[i, j] != number (up i) (up j) + number (i64.min (i + 1) (n - 1)) j))))

entry torus_1d (n: i64) : i64 =
  let a = opaque (tabulate n (number 3))
  let b = opaque (map2 (+) (rotate 1 a) (map2 (*) (rotate (-2) a) a))
  in i64.sum (map2 (\i x -> i64.bool (x != number 3 ((i + 1) % n) + number 3 ((i - 2) % n) * number 3 i)) (iota n) b)

entry clamped_3d (n: i64) : i64 =
  let value i j k = number i j + k
  let f at i j k =
    let (up, down) = (i64.max 0 (i - 1), i64.min (n - 1) (i + 1))
    let (left, right) = (i64.max 0 (j - 1), i64.min (n - 1) (j + 1))
    let (before, behind) = (i64.max 0 (k - 1), i64.min (n - 1) (k + 1))
    in at up j k + 3 * at down j k + 5 * at i left k + 7 * at i right k + 11 * at i j before + 13 * at i j behind
  let a = opaque (tabulate_3d n n n value)
  let b = opaque (tabulate_3d n n n (f (\i j k -> a[i, j, k])))
  in i64.sum (flatten_3d (tabulate_3d n n n (\i j k -> i64.bool (b[i, j, k] != f value i j k))))

-- Indices of 32 bits.
entry narrow_2d (n: i64) (m: i64) : i64 =
  let below i = if i == i32.i64 n - 1 then i else i + 1
  let left j = if j == 0i32 then j else j - 1
  let f at i j =
    let (i, j) = (i32.i64 i, i32.i64 j)
    let get i j = at (i64.i32 i) (i64.i32 j)
    in get (below i) j + 3 * get i (left j) + 5 * get (i32.max 0 (i - 2)) (i32.min (i32.i64 m - 1) (j + 1))
  in #[unsafe] differing n m f (grid n m)

-- A size that is given in 32 bits, and points at the edges that stay as they are.
entry narrow_3d (n: i64) : i64 =
  let given = i32.i64 (opaque n)
  let size = i64.i32 given
  let value i j k = (i * 31 + j * 17 + k * 7 + i * j * k) % 101
  let a = opaque (tabulate_3d size n n value)
  let next at i j k =
    let (i, j, k) = (i32.i64 i, i32.i64 j, i32.i64 k)
    let get i j k : i64 = at (i64.i32 i) (i64.i32 j) (i64.i32 k)
    in if i == 0 || i == given - 1 || j == 0 || j == i32.i64 n - 1 || k == 0 || k == i32.i64 n - 1
       then get i j k
       else get (i - 1) j k + 3 * get (i + 1) j k + 5 * get i (j - 1) k + 7 * get i (j + 1) k
            + 11 * get i j (k - 1) + 13 * get i j (k + 1)
  let fast = tabulate_3d size n n (next (\i j k -> #[unsafe] a[i, j, k]))
  in i64.sum (flatten (map2 (\i plane ->
                               flatten (map2 (\j row ->
                                                map2 (\k x -> i64.bool (x != next value i j k)) (iota n) row)
                                             (iota n) plane)
                               |> i64.sum
                               |> \s -> [s])
                            (iota size) fast))
