-- # Operations on whole arrays
--
-- A parallel program says *what* is computed for all elements; the compiler decides which core or thread does it.
-- These functions take functions, and are all the parallelism there is.

def squares = map (\x -> x * x) [1, 2, 3i32]
def sums = map2 (+) [1, 2, 3i32] [10, 20, 30]
def total = reduce (+) 0 [1, 2, 3i32]
def running = scan (+) 0 [1, 2, 3i32]
def positive = filter (> 0) [1, -2, 3i32]
def every = all (> 0) [1, -2, 3i32]

-- > (squares, sums, total, running, positive, every)

-- function | gives
-- --- | ---
-- `map f xs`, `map2 f xs ys`, .., `map5` | `f` of each element, or of elements at the same place
-- `reduce op ne xs` | all elements combined; `ne` for an empty array
-- `scan op ne xs` | what `reduce` gives for each beginning of `xs`
-- `filter p xs`, `partition p xs` | the elements for which `p` holds; both kinds
-- `all p xs`, `any p xs` | whether `p` holds for all, for one
-- `hist op ne k is xs` | `k` bins; bin `i` combines the `xs` whose index is `i`
-- `scatter xs is vs` | `xs` with `vs` at the places `is`; `xs` is given up
-- `reduce_by_index xs op ne is vs` | the same, but combines with what is there
--
-- `reduce` and `scan` divide the work, so `op` must be associative, `(a op b) op c == a op (b op c)`, and `ne` must
-- be neutral, `ne op a == a`. This is not checked. Of floating-point sums, the last digits may depend on the machine.
--
-- ## Reductions of more than numbers
--
-- Elements can be tuples. The place of the largest element:

def argmax [n] (xs: [n]f64) : (f64, i64) =
  let larger (a, i) (b, j) = if j < 0 || (a >= b && i >= 0) then (a, i) else (b, j)
  in reduce larger (0, -1) (zip xs (iota n))

-- > argmax [1f64, 7f64, 3f64]

-- ## Nesting
--
-- Functions inside of `map` can use `map` and `reduce` again; all levels run in parallel where that is faster.

def distance [d] (a: [d]f64) (b: [d]f64) : f64 = f64.sqrt (f64.sum (map2 (\x y -> (x - y) ** 2) a b))
def distances [n][d] (points: [n][d]f64) : [n][n]f64 = map (\a -> map (distance a) points) points

-- > distances [[0f64, 0f64], [3f64, 4f64]]

-- ## Counting
--
-- A histogram is a parallel loop in which several elements meet at the same place. Here: how often each sum of two
-- dice comes up, in all 36 cases.

def dice : ([13]i64, [13]i64) =
  let sums = flatten (tabulate_2d 6 6 (\a b -> a + b + 2))
  in (iota 13, hist (+) 0 13 sums (map (const 1) sums))

-- > :plot2d {cases=dice};
-- style: bars
-- title: the sum of two dice
-- file: dice.svg

-- ## A scan at work
--
-- `scan` finds where things go. To repeat each element as often as an array says, sum the counts: that is where
-- each run ends, and its beginning is where the run before it ends. Marks at these places, counted, say which
-- element each place takes.

def repeated [n] (counts: [n]i64) (xs: [n]i32) : []i32 =
  let ends = scan (+) 0 counts
  let starts = map2 (-) ends counts
  let size = if n == 0 then 0 else ends[n - 1]
  let marks = reduce_by_index (replicate size 0) (+) 0 starts (replicate n 1)
  in map (\run -> xs[run - 1]) (scan (+) 0 marks)

-- > repeated [2i64, 0i64, 3i64] [7i32, 8i32, 9i32]

-- Next: [loops and updates](loops.md).
