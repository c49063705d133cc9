-- Loops that end they do not know when, with limits below and above the iterations that are done at a time. Numbers are such that no result is rounded.

def escapes (limit: i32) : ([300]i32, [300]f32, [300]i32) =
  let one (i: i64) =
    loop (x, y, k, s) = (f32.i64 (i % 50), 1, 0, 7i32)
    while k < limit && x * 2 - y * 0.5 < f32.i64 (i * 3) do
      (x + 2 * y, (if x < 40 then y + 1 else 3 - y), k + 1, (s * 3) ^ k)
  in unzip3 (tabulate 300 (\i -> let (x, _, k, s) = one i in (k, x, s)))

-- ==
-- entry: escape
-- input { 0 } auto output
-- input { 1 } auto output
-- input { 16 } auto output
-- input { 17 } auto output
-- input { 24 } auto output
-- input { 25 } auto output
-- input { 26 } auto output
-- input { 33 } auto output
-- input { 100 } auto output
-- input { -2147483648 } auto output
-- input { 2147483647 } auto output

entry escape (limit: i32) = escapes limit

-- Limits that are constants.
-- ==
-- entry: escape_64 escape_72 escape_73 escape_100
-- input { } auto output

entry escape_64 = escapes 64
entry escape_72 = escapes 72
entry escape_73 = escapes 73
entry escape_100 = escapes 100

def collatzes (limit: i64) : ([1000]i64, [1000]i64) =
  let one (i: i64) =
    loop (n, k) = (i + 1, 0)
    while k < limit && n != 1 do
      (if n & 1 == 0 then n >> 1 else 3 * n + 1, k + 1)
  in unzip (tabulate 1000 one)

-- ==
-- entry: collatz_1000
-- input { } auto output

entry collatz_1000 = collatzes 1000

-- ==
-- entry: collatz
-- input { 10i64 } auto output
-- input { 1000i64 } auto output

entry collatz (limit: i64) = collatzes limit

-- ==
-- entry: from_the_end
-- input { 2147483640 2147483647 } auto output
-- input { 2147483600 2147483647 } auto output
-- input { -2147483648 -2147483600 } auto output

-- Counts that begin close to the greatest number.
entry from_the_end (first: i32) (limit: i32) : ([100]i32, [100]i32) =
  let one (i: i64) =
    loop (k, s) = (first + i32.i64 (i % 3), 0)
    while k < limit && s < i32.i64 i * 5 do
      (k + 1, s + (k & 7))
  in unzip (tabulate 100 one)
