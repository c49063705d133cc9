-- Sieve and sorting by in-place updates.

def sieve (n: i64) : []i64 =
  let composite = replicate (n + 1) false
  let marked =
    loop flags = composite for p in 2...n do
      if flags[p]
      then flags
      else loop flags for k in 2 * p..3 * p...n do flags with [k] = true
  in filter (\i -> i > 1 && !marked[i]) (iota (n + 1))

def swap 't [n] (xs: *[n]t) (i: i64) (j: i64) : *[n]t =
  let x = copy xs[i]
  let y = copy xs[j]
  let xs[i] = y
  let xs[j] = x
  in xs

def insertion_sort [n] (xs: *[n]i32) : *[n]i32 =
  loop xs for i < n do
    let (xs, _) =
      loop (xs, j) = (xs, i)
      while j > 0 && xs[j - 1] > xs[j] do
        (swap xs (j - 1) j, j - 1)
    in xs

type state = {grid: [4][4]i32, steps: i32}

def step (s: *state) : *state =
  let s = s with steps = s.steps + 1
  in {grid = copy s.grid with [0, 0:2] = [1, 2], steps = s.steps}

entry main (n: i64) = (sieve n, insertion_sort [3, 1, 2])
