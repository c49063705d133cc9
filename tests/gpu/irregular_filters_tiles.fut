-- Several filters of the same elements, of more elements than a tile of the scan that numbers them has: conditions that hold together, and a single one.
-- ==
-- entry: several single
-- input { [4000i64, 0i64, 3i64, 7001i64, 1i64] } auto output
-- input { empty([0]i64) } auto output

def element (n: i64) (i: i64) : i32 = i32.i64 ((i * 7919 + n) % 101)

def weigh [m] (ys: [m]i32) : i64 = i64.sum (map2 (\y i -> i64.i32 y * (i % 13)) ys (indices ys))

entry several [k] (ns: [k]i64) : [k][6]i64 =
  let of n =
    let xs = map (element n) (iota n)
    let p = if n == 0 then 0 else xs[n / 2]
    let less = filter (< p) xs
    let even = filter (\x -> x % 2 == 0) xs
    let more = filter (> p) xs
    in [length less, weigh less, length even, weigh even, length more, weigh more]
  in #[flattening(only_inner)] map of ns

entry single [k] (ns: [k]i64) : [k][2]i64 =
  let of n =
    let ys = filter (\x -> x % 3 == 1) (map (element n) (iota n))
    in [length ys, weigh ys]
  in #[flattening(only_inner)] map of ns
