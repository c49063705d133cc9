-- Numbers that kernels need, and that are too expensive for each of their threads, are computed once on the device: from elements of
-- arrays, of which some change afterwards, in loops, and for kernels in branches. Also single elements that change places.
-- ==
-- entry: powers
-- input { [2.0f64, 3.0, 4.0] } output { [9.0f64, 16.0, 25.0] }
-- input { [2.0f64] } output { [9.0f64] }

-- ==
-- entry: steps
-- input { [4.0f64, 1.0, 9.0] } auto output
-- input { empty([0]f64) } auto output

-- ==
-- entry: rows
-- input { [[4.0f64, 1.0], [9.0, 2.0]] } auto output
-- input { [[4.0f64]] } auto output

-- ==
-- entry: exchange
-- input { [1i32, 2, 3, 4, 5] } output { [5i32, 4, 3, 2, 1] }
-- input { empty([0]i32) } output { empty([0]i32) }

entry powers [n] (xs: *[n]f64) : *[n]f64 =
  let x = xs[0] ** 3
  let y = if x > 4 then x - xs[n / 2] else f64.sqrt x
  let xs[0] = 2.0
  in map (\z -> (z + 1) ** 2 + (y - y) + (x - x)) xs

entry steps [n] (xs: *[n]f64) : *[n]f64 =
  loop xs for i < n do
    let s = f64.sqrt (xs[i] * xs[i] + f64.sum xs)
    let t = if s > 2 then 1 / s else s ** 1.5
    let xs[n - 1 - i] = t
    in map (\x -> x * t + s) xs

entry rows [n] [m] (xss: [n][m]f64) : [n][m]f64 =
  let t = f64.exp (xss[0, 0] / 8) ** 0.5
  in map (\xs -> scan (+) 0 (scan f64.max t (map (* t) xs))) xss

entry exchange [n] (xs: *[n]i32) : *[n]i32 =
  loop xs for i < n / 2 do
    let a = xs[i]
    let b = xs[n - 1 - i]
    let xs[i] = b
    let xs[n - 1 - i] = a
    in xs
