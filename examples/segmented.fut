-- Sums of segments of different lengths: rows of a ragged array that is stored flat, with a flag where each
-- row begins. Arrays of arrays must be regular, so this is how irregular data is written.
-- ==
-- entry: running
-- input { [true, false, true, false, false] [1, 2, 3, 4, 5] } output { [1, 3, 3, 7, 12] }

-- ==
-- entry: totals
-- input { [true, false, true, false, false] [1, 2, 3, 4, 5] } output { [3, 12] }
-- input { empty([0]bool) empty([0]i32) } output { empty([0]i32) }

-- A scan that starts again at each flag. The operator on pairs is associative if `op` is.
def segmented_scan [n] 't (op: t -> t -> t) (ne: t) (flags: [n]bool) (xs: [n]t) : [n]t =
  let combine (flag_a, a) (flag_b, b) = (flag_a || flag_b, if flag_b then b else op a b)
  in unzip (scan combine (false, ne) (zip flags xs)) |> (.1)

-- The sum so far within each segment.
entry running [n] (flags: [n]bool) (xs: [n]i32) : [n]i32 =
  segmented_scan (+) 0 flags xs

-- The sum of each segment: the running sum at each position whose successor begins a new one.
entry totals [n] (flags: [n]bool) (xs: [n]i32) : []i32 =
  let ends = map (\i -> i == n - 1 || flags[i + 1]) (iota n)
  in zip ends (running flags xs) |> filter (.0) |> map (.1)
