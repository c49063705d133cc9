-- `#[unroll]` on derivatives in several directions: each has code of its own, and the results are the same.
-- ==
-- entry: forward backward together
-- input { [0.7, 1.3, 0.9] } output { true }

-- ==
-- entry: poles
-- input { 0.0 } output { [0.0, f64.inf] }

def near (a: f64) (b: f64) = f64.abs (a - b) <= 1e-12 * (1 + f64.abs a + f64.abs b)

def all_near [n] [m] (a: [n][m]f64) (b: [n][m]f64) = and (map2 near (flatten a) (flatten b))

def directions : [2][3]f64 = [[1, 0, 0.5], [0.25, -1, 2]]

#[noinline]
def power (k: i64) (x: f64) : f64 = loop y = 1 for _i < k do y * x

def straight (x: [3]f64) : [3]f64 = [x[0] * x[1], f64.sin x[2] / x[0], if x[0] < x[1] then x[2] ** x[1] else 0]

def with_loops (x: [3]f64) : [3]f64 =
  let ys = loop ys = copy x for i < 3 do ys with [i] = ys[(i + 1) % 3] * ys[i]
  let (a, _) = loop (a, b) = (x[0], x[1]) while a < 100 do (a * 2 + b, b * 1.1)
  in map2 (+) ys (replicate 3 (a + power 3 x[2]))

def with_combinators (x: [3]f64) : [3]f64 =
  let s = reduce (*) 1 x + f64.maximum x + (reduce (\(a, b) (c, d) -> (a * c, a * d + b)) (1, 0) (zip x (reverse x))).1
  let ys = scan (+) 0 (map (\y -> y * x[1]) x)
  let bins = reduce_by_index (replicate 3 x[0]) (*) 1 [0, 2, 0] ys
  let put = scatter (copy x) [2, 0] [s, x[1] * x[1]]
  let big = filter (> 0.8) (map (** 2) x)
  in map3 (\a b c -> a + b * c) bins put ys with [1] = f64.sum big

type~ buf [k] = intrinsics.acc ([k]f64)

def stream (op: f64 -> f64 -> f64) (ne: f64) (x: [3]f64) : [3]f64 =
  intrinsics.hist_stream (copy x)
                         op
                         ne
                         (\(acc: *buf [3]) i : buf [3] -> intrinsics.acc_write acc (i % 3) (x[i % 3] * x[1]))
                         (iota 7)

def with_accumulator (x: [3]f64) : [3]f64 = map2 (+) (stream (+) 0 x) (stream (*) 1 x)

def agree (f: [3]f64 -> [3]f64) (x: [3]f64) =
  all_near (#[unroll] jmp f x directions) (jmp f x directions)

def agree_back (f: [3]f64 -> [3]f64) (x: [3]f64) =
  all_near (#[unroll] mjp f x directions) (mjp f x directions)

entry forward (x: [3]f64) : bool =
  agree straight x && agree with_loops x && agree with_combinators x && agree with_accumulator x

entry backward (x: [3]f64) : bool =
  agree_back straight x && agree_back with_loops x && agree_back with_combinators x && agree_back with_accumulator x

-- Tuples, values beside, a number of directions that is only known at run time, and none.
entry together (x: [3]f64) : bool =
  let f (a, b) = (a * b, [a, b * b])
  let n = i64.f64 x[1]
  let (y, ys) = #[unroll] jmp2 f (x[0], x[1]) [(1, 0), (0, 1), (1, 1)]
  let (z, zs) = jmp2 f (x[0], x[1]) [(1, 0), (0, 1), (1, 1)]
  let hessian g = #[unroll] jmp (\x -> vjp g x 1) x [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
  in y.0 == z.0
     && all_near (map (.1) ys) (map (.1) zs)
     && all_near (#[unroll] jmp straight x (replicate n x)) (jmp straight x (replicate n x))
     && length (#[unroll] mjp straight x ([] : [0][3]f64)) == 0
     && all_near (hessian (\x -> f64.sum (with_loops x))) (transpose (hessian (\x -> f64.sum (with_loops x))))

-- A direction in which nothing changes, at a pole.
entry poles (x: f64) : []f64 = [(jmp (\x -> x * x) x [1])[0], (#[unroll] jmp f64.sqrt x [1])[0]]
