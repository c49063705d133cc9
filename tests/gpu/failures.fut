-- Checks that fail in a kernel: the message names the place, and the program goes on to the next call.
-- ==
-- entry: index
-- input { [1, 2, 3] [0i64, 1i64, 5i64] } error: out of bounds
-- input { [1, 2, 3] [0i64, 1i64, 2i64] } output { [1, 2, 3] }

-- ==
-- entry: division
-- input { [1, 0, 3] } error: zero

-- ==
-- entry: in_reduction
-- input { [1, 2, 3] [0i64, 1i64, 5i64] } error: out of bounds

-- ==
-- entry: in_scan
-- input { [1, 2, 3] [0i64, 7i64, 1i64] } error: out of bounds

-- ==
-- entry: asserted
-- input { [1, -2, 3] } error: x > 0

-- Checks that no result depends on: of a place that is written to, and around arrays without elements.
-- ==
-- entry: written
-- input { [1i64, 4i64] } output { [11i64, 14i64] }
-- input { [1i64, 5i64] } error: out of bounds

-- ==
-- entry: around
-- input { [1i64, 4i64] empty([0]i64) } output { empty([2][0]i64) }
-- input { [1i64, 5i64] empty([0]i64) } error: x < 5

-- In operators: threads that fail still meet the others at barriers, give back locks, and count themselves as done.
-- ==
-- entry: reduced reduced_rows scanned scanned_rows in_block
-- input { 99i64 } error: b == c
-- input { 1000i64 } output { true }

-- ==
-- entry: reduced scanned
-- input { 99i64 } error: b == c
-- input { 100000i64 } output { true }

-- ==
-- entry: counted counted_pairs
-- input { 99i64 } error: y < n
-- input { 1000i64 } output { true }

-- A check of the host fails while a kernel runs whose check fails too: the first one counts, and the next call is none the worse.
-- ==
-- entry: on_both_sides
-- input { [1, 2, 3] [0i64, 1i64, 5i64] 7i64 } error: out of bounds
-- input { [1, 2, 3] [0i64, 1i64, 2i64] 1i64 } output { [1, 2, 3] 1i64 }
-- input { [1, 2, 3] [0i64, 1i64, 2i64] 7i64 } error: k < 3
-- input { [1, 2, 3] [0i64, 1i64, 2i64] 2i64 } output { [1, 2, 3] 2i64 }

entry index (xs: []i32) (is: []i64) = map (\i -> xs[i]) is

entry on_both_sides (xs: []i32) (is: []i64) (k: i64) =
  let ys = map (\i -> xs[i]) is
  in (ys, assert (k < 3) k)

entry division (xs: []i32) = map (100 /) xs
entry in_reduction (xs: []i32) (is: []i64) = reduce (+) 0 (map (\i -> xs[i]) is)
entry in_scan (xs: []i32) (is: []i64) = scan (+) 0 (map (\i -> xs[i]) is)
def positive (x: i32) = assert (x > 0) x
entry asserted (xs: []i32) = map positive xs

entry written (xs: []i64) =
  map (\x -> let a = replicate 5 1i64
             let a = a with [x] = 0
             in i64.sum (scan (+) 0 a)) xs
entry around (xs: []i64) (ys: []i64) = map (\x -> let k = assert (x < 5) x in map (+ k) ys) xs

-- Neighbouring intervals make one; (-1, -1) is empty. At the odd size there is a gap.
def meet (a: i64, b: i64) (c: i64, d: i64) =
  if a < 0 then (c, d) else if c < 0 then (a, b) else assert (b == c) (a, d)
def gap (n: i64) (i: i64) = if n % 2 == 1 && i == n / 2 then 1i64 else 0
def pieces (n: i64) = tabulate n (\i -> (i + gap n i, i + 1))
entry reduced (n: i64) = reduce meet (-1, -1) (pieces n) == (0, n)
entry reduced_rows (n: i64) = map (\k -> reduce meet (-1, -1) (pieces n) == (k - k, n)) (iota 3) |> and
entry scanned (n: i64) = scan meet (-1, -1) (pieces n) |> zip (iota n) |> all (\(i, p) -> p == (0, i + 1))
entry scanned_rows (n: i64) = map (\k -> scan meet (-1, -1) (pieces n) == tabulate n (\i -> (k - k, i + 1))) (iota 3) |> and

def sum (n: i64) (x: i64) (y: i64) = assert (x + y < n) (x + y)
entry counted (n: i64) = hist (sum (if n % 2 == 1 then n / 5 else n)) 0 3 (map (% 3) (iota n)) (rep 1) |> all (>= 0)
def sums (n: i64) (x: i64, v: i64) (y: i64, w: i64) = assert (x + y < n) (x + y, v * w)
entry counted_pairs (n: i64) =
  hist (sums (if n % 2 == 1 then n / 5 else n)) (0, 1) 3 (map (% 3) (iota n)) (rep (1, 1)) |> all (\(x, _) -> x >= 0)

entry in_block (n: i64) =
  #[incremental_flattening(only_intra)]
  map (\k -> let p = pieces n
             let all = reduce meet (-1, -1) p
             in last (scan meet (-1, -1) (map (\(a, b) -> if all.0 == k - k then (a, b) else (b, a)) p)) == all)
      (iota 3) |> and
