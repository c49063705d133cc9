-- # Coming from NumPy
--
-- What NumPy does to whole arrays by its functions, Futhark does by functions that take functions, and the compiler
-- fuses them: no array is made for `map f (map g xs)`. So write the small steps; and write `map` where NumPy needs
-- tricks with `reshape` and `None`.

def xs : [4]f64 = [4, 1, 3, 2]
def ys : [4]f64 = [1, 1, 2, 2]
def a : [2][3]f64 = [[1, 2, 3], [4, 5, 6]]

-- ## Making and changing

def zeros = replicate 4 0f64                                   -- np.zeros(4)
def grid = tabulate_2d 2 3 (\i j -> f64.i64 (10 * i + j))      -- np.fromfunction(f, (2, 3))
def counting = iota 5                                          -- np.arange(5)
def stepped = 0i64..2..<10                                     -- np.arange(0, 10, 2)
def spaced = map (\i -> f64.i64 i / 4) (iota 5)                -- np.linspace(0, 1, 5)
def typed = map f32.f64 xs                                     -- xs.astype(np.float32)
def joined = xs ++ ys                                          -- np.concatenate([xs, ys])
def shaped = unflatten (xs :> [2 * 2]f64)                      -- xs.reshape(2, 2)
def turned = transpose a                                       -- a.T
def flat = flatten a                                           -- a.ravel()
def replaced = copy xs with [0] = 7                            -- xs = xs.copy(); xs[0] = 7

-- ## Elements and parts

def column = a[:, 1]                                           -- a[:, 1]
def backwards = xs[::-1]                                       -- xs[::-1]
def last_one = xs[length xs - 1]                               -- xs[-1]
def positive = filter (> 2) xs                                 -- xs[xs > 2]
def chosen = map (\i -> xs[i]) [3, 0, 0]                       -- xs[[3, 0, 0]]
def where = map (\x -> if x > 2 then x else 0) xs              -- np.where(xs > 2, xs, 0)
def shape = (length a, length a[0])                            -- a.shape

-- ## Calculating

def scaled = map (* 2) xs                                      -- 2 * xs
def added = map2 (+) xs ys                                     -- xs + ys
def squared = map (** 2) xs                                    -- xs ** 2
def roots = map f64.sqrt xs                                    -- np.sqrt(xs)
def sum = f64.sum xs                                           -- xs.sum()
def mean = f64.sum xs / f64.i64 (length xs)                    -- xs.mean()
def largest = f64.maximum xs                                   -- xs.max()
def of_rows = map f64.sum a                                    -- a.sum(axis=1)
def of_columns = map f64.sum (transpose a)                     -- a.sum(axis=0)
def prefixes = scan (+) 0 xs                                   -- np.cumsum(xs)
def centred = map (\row -> map2 (-) row [1, 2, 3]) a           -- a - np.array([1, 2, 3])
def outer = map (\x -> map (* x) ys) xs                        -- np.outer(xs, ys)
def dot = f64.sum (map2 (*) xs ys)                             -- xs @ ys
def any_big = any (> 3) xs                                     -- (xs > 3).any()
def bins = hist (+) 0 3 [0, 2, 2, 1] (map (const 1i64) xs)     -- np.bincount([0, 2, 2, 1])

def values = (shaped, where, of_columns, bins)

-- > values

-- ## What is different
--
-- - *Numbers are not mixed.* `2 * x` is fine, since a literal takes the type of `x`; `n * x` with an integer `n` is
--   `f64.i64 n * x`.
-- - *Nothing changes.* `xs with [0] = 7` gives up `xs`, and is as fast as NumPy's assignment; `copy xs` first, to keep
--   it.
-- - *Shapes are types.* `map2 (+)` of arrays with different lengths is an error of `fehu check`, not at run time; there
--   is no broadcasting, so nothing is broadcast by mistake.
-- - *Indexes do not wrap*: `xs[-1]` is an error, at run time.
-- - *Loops are not slow.* A `loop` over numbers is C; but one core does it. `map` with any function uses them all.
-- - Sorting, random numbers, FFTs, linear algebra are [packages](packages.md).
--
-- ## From and to Python
--
-- A library made by `fehu c --library` can be called by `ctypes`: [calling](../guide/calling.md). Files in binary form
-- are made and read by a few lines: [data](data.md#numpy).
--
-- Next: [coming from the reference compiler](reference.md).
