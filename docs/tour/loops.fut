-- # Loops and updates
--
-- What happens step after step is a `loop`. It has values that each step replaces: here `(a, b)`, which begins as
-- `(0, 1)`; the body gives the next ones.

def fibonacci (n: i64) : i64 =
  let (a, _) = loop (a, b) = (0, 1) for _i < n do (b, a + b)
  in a

-- > fibonacci 50i64

-- `for i < n` counts from 0; `for x in xs` goes through an array; `while` asks a condition before each step.

def digits (n: i64) : i64 =
  let (_, count) = loop (n, count) = (n, 0) while n > 0 do (n / 10, count + 1)
  in count

def polynomial (coefficients: []f64) (x: f64) : f64 =
  loop y = 0 for c in coefficients do y * x + c

-- > (digits 1234567i64, polynomial [1f64, 0f64, -2f64] 3f64)

-- A loop runs one step after the other, on one core; operations on arrays inside of it are parallel. Outside of a
-- loop use `map` and its kin: they say that the steps need not wait for each other.
--
-- ## Heat in a rod
--
-- Each step computes all places at once, from those of the step before.

def step [n] (t: [n]f64) : [n]f64 =
  tabulate n (\i ->
    let left = t[i64.max 0 (i - 1)]
    let right = t[i64.min (n - 1) (i + 1)]
    in t[i] + 0.25 * (left - 2 * t[i] + right))

def heated (n: i64) : [n]f64 = tabulate n (\i -> if i == n / 2 then 1 else 0)

def after (steps: i64) : ([41]f64, [41]f64) =
  (map f64.i64 (iota 41), loop t = heated 41 for _i < steps do step t)

-- > :plot2d {five=after 5i64, fifty=after 50i64, many=after 500i64};
-- title: heat in a rod
-- xlabel: place
-- ylabel: temperature
-- size: (600, 400)
-- file: heat.svg

-- ## Updates in place
--
-- `xs with [i] = v` is `xs` but for one element. It reuses the memory of `xs`, so `xs` is *consumed*: it cannot be
-- used afterwards. `let xs[i] = v` is short for `let xs = xs with [i] = v`.

def sieve (n: i64) : []i64 =
  let prime =
    loop prime = replicate n true for i in 2..<n do
      loop prime for j < n / i - 1 do
        let k = (j + 2) * i
        in if k < n then prime with [k] = false else prime
  in filter (\i -> i >= 2 && prime[i]) (iota n)

-- > sieve 30i64

-- A function that consumes its argument says so by a star, and only arrays without other uses may be passed:

def doubled_first [n] (xs: *[n]i32) : *[n]i32 = xs with [0] = 2 * xs[0]

def both : ([3]i32, [3]i32) =
  let xs = [1, 2, 3]
  in (xs, doubled_first (copy xs))

-- > both

-- Without `copy` this would be refused, since `xs` is used again: `fehu explain use-after-consume`. A whole row or
-- slice can be replaced, too: `t with [i] = row`, `t with [1:3] = part`. Records have the same form, and are not
-- consumed: `r with x = 1`.
--
-- ## Recursion
--
-- Functions may call themselves, even on a GPU; a loop is usually faster. A function that does needs the type of its
-- result.

def ackermann (m: i64) (n: i64) : i64 =
  if m == 0 then n + 1
  else if n == 0 then ackermann (m - 1) 1
  else ackermann (m - 1) (ackermann m (n - 1))

-- > ackermann 2i64 3i64

-- Next: [records and sums](records.md).
