-- | Automatic differentiation. For a function `f` and a point `x`, the
-- derivative is a linear map; the functions here apply it (forward: `jvp`,
-- `jmp`) or its transpose (reverse: `vjp`, `mjp`) to one vector or to several at
-- once. Forward costs little for functions of few inputs, reverse for functions of
-- few outputs. The forms ending in 2 give the value of `f` at `x` as well.

-- | How the result changes when `x` changes in the direction `x'`.
def jvp 'a 'b (f: a -> b) (x: a) (x': a) : b =
  (intrinsics.jvp2 f x x').1

-- | The value, and how it changes when `x` changes in the direction `x'`.
def jvp2 'a 'b (f: a -> b) (x: a) (x': a) : (b, b) =
  intrinsics.jvp2 f x x'

-- | How each part of `x` affects the result, weighted by `y'`.
def vjp 'a 'b (f: a -> b) (x: a) (y': b) : a =
  (intrinsics.vjp2 f x y').1

-- | The value, and how each part of `x` affects it, weighted by `y'`.
def vjp2 'a 'b (f: a -> b) (x: a) (y': b) : (b, a) =
  intrinsics.vjp2 f x y'

-- | As `jvp`, for several directions at once.
def jmp [n] 'a 'b (f: a -> b) (x: a) (xs': [n]a) : [n]b =
  (intrinsics.jmp2 f x xs').1

-- | As `jvp2`, for several directions at once.
def jmp2 [n] 'a 'b (f: a -> b) (x: a) (xs': [n]a) : (b, [n]b) =
  intrinsics.jmp2 f x xs'

-- | As `vjp`, for several weights at once.
def mjp [n] 'a 'b (f: a -> b) (x: a) (ys': [n]b) : [n]a =
  (intrinsics.mjp2 f x ys').1

-- | As `vjp2`, for several weights at once.
def mjp2 [n] 'a 'b (f: a -> b) (x: a) (ys': [n]b) : (b, [n]a) =
  intrinsics.mjp2 f x ys'

-- | The function `f` with its own rule for reverse differentiation: `f' y y'`
-- gives what `vjp f x y'` should, where `y` is `f x`. What is free in `f` counts
-- as constant.
def with_vjp 'a 'b (f: a -> b) (f': (res: b) -> (adj: b) -> a) (x: a) : b =
  intrinsics.with_vjp_tape (\x -> let y = f x in (y, y)) f' x

-- | As `with_vjp`, where `f` itself says what its rule will need: the first
-- component of its result is kept for `f'`, and is no part of the value.
def with_vjp_tape 'a 'b 'c (f: a -> (c, b)) (f': (c, b) -> a) (x: a) : b =
  intrinsics.with_vjp_tape (\x -> let (c, b) = f x in (b, c)) (\c b' -> f' (c, b')) x
