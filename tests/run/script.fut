-- Arguments that scripts compute: the whole grammar, with functions, built-in functions, parentheses, tuples, records,
-- arrays, fields, indexing and bindings.

-- ==
-- entry: sum
-- "call" script input { upto 4i64 } output { 6i64 }
-- "parentheses" script input { (upto 4i64) } output { 6i64 }
-- "nested parentheses" script input { ((upto (second (1i64, 5i64)))) } output { 10i64 }
-- "file" script input { $loaddata "data/script.in" } output { 60i64 }
-- "file in parentheses" script input { ($loaddata "data/script.in") } output { 60i64 }
-- "binding" script input { let n = 4i64 in upto n } output { 6i64 }
-- "binding in parentheses" script input { (let n = 4i64 in upto n) } output { 6i64 }
-- "binding of a call" script input { let xs = (upto 3i64) in xs } output { 3i64 }
-- "array of numbers" script input { [1i64, 2i64, 3i64] } output { 6i64 }
-- "array of calls" script input { [second (1i64, 5i64), 2i64, (double 4i64)] } output { 15i64 }
-- "array of numbers without a type" script input { [double 1, 2, 3] } output { 7i64 }
-- "index" script input { let xs = upto 4i64 in [xs[3i64], xs[2]] } output { 5i64 }
-- "index by a call" script input { let xs = upto 9i64 in [xs[double 4i64]] } output { 8i64 }
-- "empty" script input { empty([0]i64) } output { 0i64 }
-- "field" script input { (named 3i64).values } output { 3i64 }
-- "field of a variable" script input { let r = named 3i64 in r.values } output { 3i64 }
-- "part of a tuple" script input { (pair 4i64).1 } output { 6i64 }
-- "comment" script input { upto -- of these
--   4i64 } output { 6i64 }

-- ==
-- entry: scaled
-- "tuple" script input { (2i64, upto 3i64) } output { 6i64 }
-- "tuple of calls" script input { (double 1i64, (upto 3i64)) } output { 6i64 }
-- "result that is a tuple" script input { pair 4i64 } output { 24i64 }
-- "result that is a tuple, in parentheses" script input { (pair 4i64) } output { 24i64 }
-- "taken apart" script input { let (n, xs) = pair 4i64 in (n, xs) } output { 24i64 }
-- "bindings in bindings" script input { let n = 2 in let xs = let m = 3i64 in upto m in (n, xs) } output { 6i64 }
-- "arguments as a tuple" script input { (add (1i64, 2i64), upto 3i64) } output { 9i64 }

-- ==
-- entry: total
-- "record" script input { {values = upto 3i64, factor = 2i64} } output { 6i64 }
-- "record in another order" script input { {factor = double 1i64, values = (upto 3i64)} } output { 6i64 }
-- "record that was computed" script input { named 3i64 } output { 9i64 }

-- ==
-- entry: rows
-- "array of arrays" script input { [upto 2i64, upto 2i64] } output { 2i64 2i64 }
-- "rows of several kinds" script input { [[1i64, 2i64], (upto 2i64), [3i64, double 3i64]] } output { 3i64 2i64 }

type named [n] = {values: [n]i64, factor: i64}

entry upto (n: i64) : [n]i64 = iota n
entry second (a: i64, b: i64) : i64 = b + a - a
entry double (x: i64) : i64 = 2 * x
entry add (x: i64) (y: i64) : i64 = x + y
entry pair (n: i64) : (i64, [n]i64) = (n, iota n)
entry named (n: i64) : named [n] = {values = iota n, factor = n}

entry sum [n] (xs: [n]i64) : i64 = i64.sum xs
entry scaled [n] (factor: i64) (xs: [n]i64) : i64 = factor * i64.sum xs
entry total [n] (r: named [n]) : i64 = r.factor * i64.sum r.values
entry rows [n] [m] (_: [n][m]i64) : (i64, i64) = (n, m)
