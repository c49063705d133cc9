-- What the foreign programs call.
type stats = {count: i64, mean: f64}

entry scale [n] (a: f64) (xs: [n]f64) : [n]f64 = map (* a) xs

entry summary [n] (xs: [n]f64) : stats = {count = n, mean = f64.sum xs / f64.i64 n}

entry merge (s: stats) (t: stats) : stats =
  let count = s.count + t.count
  in {count, mean = (s.mean * f64.i64 s.count + t.mean * f64.i64 t.count) / f64.i64 count}

entry pick (xs: []i32) (i: i64) : i32 = xs[i]

entry bump [n] (xs: *[n]i32) : *[n]i32 = loop xs for i < n do xs with [i] = xs[i] + 1

-- Arrays of units: nothing but sizes.
type~ units = []()

entry units (n: i64) : units = replicate n ()

entry count_units (u: units) : i64 = length u

type~ width = [0][]()

entry width (n: i64) : width = [] : [][n]()

entry width_of (w: width) : i64 = let [n] (_: [0][n]()) = w in n

type maybe = #none | #some () i32

entry some (x: i32) : maybe = #some () x
