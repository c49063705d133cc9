-- | Combinators on functions.

-- | Apply a function to a value, the value first: `x |> f |> g` reads from
-- left to right.
#[inline]
def (|>) '^a '^b (x: a) (f: a -> b) : b = f x

-- | Apply a function to a value, the function first: `g <| f <| x` needs no
-- parentheses.
#[inline]
def (<|) '^a '^b (f: a -> b) (x: a) : b = f x

-- | First `f`, then `g`.
#[inline]
def (>->) '^a '^b '^c (f: a -> b) (g: b -> c) (x: a) : c = g (f x)

-- | First `f`, then `g`, written the other way around.
#[inline]
def (<-<) '^a '^b '^c (g: b -> c) (f: a -> b) (x: a) : c = g (f x)

-- | The function with its two parameters swapped.
#[inline]
def flip '^a '^b '^c (f: a -> b -> c) (b: b) (a: a) : c = f a b

-- | A function of a pair as a function of two parameters.
#[inline]
def curry '^a '^b '^c (f: (a, b) -> c) (a: a) (b: b) : c = f (a, b)

-- | A function of two parameters as a function of a pair.
#[inline]
def uncurry '^a '^b '^c (f: a -> b -> c) (a: a, b: b) : c = f a b

-- | Always the first argument.
#[inline]
def const '^a '^b (x: a) (_: b) : a = x

-- | The argument itself.
#[inline]
def id '^a (x: a) : a = x

-- | Apply a function `n` times.
#[inline]
def iterate 'a (n: i32) (f: a -> a) (x: a) : a =
  loop x for _i < n do f x

-- | Apply a function until the predicate holds.
#[inline]
def iterate_until 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop x while !(p x) do f x

-- | Apply a function for as long as the predicate holds.
#[inline]
def iterate_while 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop x while p x do f x
