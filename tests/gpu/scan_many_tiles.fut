-- Scans of few tiles, whose state the last block clears, and of many, whose state a kernel clears: one after the other, so that each finds what the one before left.
-- ==
-- entry: both
-- input { 0i64 } auto output
-- input { 1000i64 } auto output
-- input { 60000i64 } auto output
-- input { 1500000i64 } auto output
-- input { 60001i64 } auto output

entry both (n: i64) : (i64, i64, i64, i64) =
  let sums = scan (+) 0 (map (% 7) (iota n))
  let after (a, b) (c, d) = (a * c % 1000003, (b * c + d) % 1000003)
  let (factors, terms) = unzip (scan after (1, 0) (map2 (\i sum -> (sum % 5 + 1, i % 3)) (iota n) sums))
  let kept = filter (\x -> x % 3 == 0) terms
  let last xs = if n == 0 then 0 else #[unsafe] xs[n - 1]
  in (last sums, last factors, length kept, i64.sum (map2 (\x i -> x * i % 17) kept (indices kept)))
