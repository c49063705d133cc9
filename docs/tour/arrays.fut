-- # Arrays and their sizes
--
-- An array has elements of one type. `[n]i32` is the type of arrays of `n` integers; the size is part of the type.

def primes : [5]i64 = [2, 3, 5, 7, 11]

def parts = (length primes, primes[0], primes[1:3], primes[::-1])

-- > parts

-- `xs[i]` has no space before the bracket: `f [i]` applies `f` to an array. A slice `xs[a:b:step]` begins at `a` and
-- ends before `b`; any part may be left out. An index outside of the array ends the program, with the place.
--
-- ## Making arrays

def made = (iota 4, 5..<8i64, replicate 2 0.5f32, tabulate 3 (\i -> i * i))

-- > made

-- to get | write
-- --- | ---
-- 0, 1, .., n - 1 | `iota n`, `0..<n`
-- 1, 3, 5, 7 | `1..3...7` (up to and with 7), `1..3..<9`
-- 4, 3, 2 | `4..3..>1`
-- `n` times `x` | `replicate n x`
-- `f 0`, `f 1`, .. | `tabulate n f`; `tabulate_2d n m f`
-- both, one after the other | `xs ++ ys`
-- pairs of elements | `zip xs ys`; `unzip` gives both back
-- part of it | `take n xs`, `drop n xs`, `split`, `head`, `last`, `init`, `tail`
-- backwards, rotated | `reverse xs`, `rotate 1 xs`
--
-- ## More dimensions
--
-- Arrays of arrays are matrices: all rows have the same length. An index for each dimension selects an element,
-- fewer indexes a row.

def table : [2][3]i32 = [[1, 2, 3], [4, 5, 6]]

def selected = (table[1, 2], table[1], table[:, 1])

-- > selected

def changed = (transpose table, flatten table)

-- > changed

-- `unflatten` makes rows again. The size of what it takes must be written as a product, which `:>` does: a *size
-- coercion* changes what the compiler knows of a size, and is checked when the program runs.

def rows (xs: [6]i64) : [2][3]i64 = unflatten (xs :> [2 * 3]i64)

-- > rows (iota 6i64)

-- ## Sizes are types
--
-- Size parameters in brackets say which sizes are equal. The caller does not pass them; `n` can be used as a number
-- of type `i64`.

def mean [n] (xs: [n]f64) : f64 = f64.sum xs / f64.i64 n

def dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)

def product [n][m][k] (a: [n][m]f64) (b: [m][k]f64) : [n][k]f64 =
  map (\row -> map (dot row) (transpose b)) a

-- > product [[1f64, 2f64], [3f64, 4f64]] [[0f64, 1f64], [1f64, 0f64]]

-- `dot` of arrays of different lengths does not compile: both have the same `n`. That is how most mistakes with
-- shapes are found before the program runs. `[]` is any size, each time another one.
--
-- A size can be any expression: the result of `windows` below has `n - 1` elements, and the compiler holds us to it.
-- Sizes are equal if they are written alike; `a + b` and `b + a` are not, and `:>` helps.

def windows [n] (xs: [n]f64) : [n - 1](f64, f64) =
  zip (init xs :> [n - 1]f64) (tail xs :> [n - 1]f64)

def steps [n] (xs: [n]f64) = map (\(a, b) -> b - a) (windows xs)

-- > steps [1f64, 4f64, 9f64]

-- Some sizes are known only when the program has run: `filter` gives fewer elements. Its result has a size that has
-- no name yet; `let [m] ..` gives it one.

def kept [n] (xs: [n]f64) : f64 =
  let [m] (positive: [m]f64) = filter (> 0) xs
  in f64.sum positive / f64.i64 m

-- > kept [1f64, -2f64, 3f64]

-- Rows of different lengths are no array. Keep all elements in one array, with the length of each row in another;
-- the package `github.com/diku-dk/segmented` helps.
--
-- Next: [operations on whole arrays](soacs.md).
