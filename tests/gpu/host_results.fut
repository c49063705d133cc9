-- Results that the host reads: of several reductions in turn, in loops, and with checks.
-- ==
-- entry: main
-- input { [3i64, 1i64, 2i64, 7i64] }
-- output { 13i64 7i64 1i64 26i64 }
-- entry: loops
-- input { [3i64, 1i64, 2i64, 7i64] }
-- output { 9i64 1048i64 }
-- entry: fails
-- input { [3i64, 1i64, 2i64, 7i64] 3i64 }
-- output { 9i64 }
-- input { [3i64, 1i64, 2i64, 7i64] 4i64 }
-- error: out of bounds

entry main (xs: []i64) =
  let s = i64.sum xs
  let m = i64.maximum xs
  let k = i64.minimum xs
  in (s, m, k, i64.sum (map (* 2) xs))

-- Each iteration reads what it needs to go on.
entry loops (xs: []i64) =
  loop (n, s) = (0, i64.sum xs) while s < 1000 do
    let ys = map (* s) xs
    in (n + 1, i64.maximum ys / 13 + s + i64.sum (map (\y -> y % 2) ys) + 4 - n)

-- The host waits for the sum while a kernel runs that may fail.
entry fails (xs: []i64) (n: i64) =
  let s = i64.sum xs
  let ys = map (\i -> xs[i % n + (n / 4)]) (iota 5)
  in if s > 12 then ys[0] + ys[1] + ys[2] + ys[0] else s
