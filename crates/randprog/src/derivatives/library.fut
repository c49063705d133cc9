-- What programs with derivatives share: derivatives by different ways, compared. The first result says whether they
-- agree.
--
-- A function has arguments of types [n]t, [m]t and t, and results of types [n]t and t. Sums, differences and products
-- of integers wrap, so that all ways give the same bits.

def way_i64 (n: i64) (k: i64) : [n]i64 = tabulate n (\i -> (i * 5 + k) % 7 - 3)

def dot_i64 [n] (a: [n]i64) (b: [n]i64) : i64 = i64.sum (map2 (*) a b)

def args_i64 (n: i64) (m: i64) (k: i64) = (way_i64 n k, way_i64 m (k + 1), k + 1)

def inner_i64 [n] [m] (a: ([n]i64, [m]i64, i64)) (b: ([n]i64, [m]i64, i64)) : i64 =
  dot_i64 a.0 b.0 + dot_i64 a.1 b.1 + a.2 * b.2

def weighed_i64 [n] (r: ([n]i64, i64)) (w: ([n]i64, i64)) : i64 = dot_i64 r.0 w.0 + r.1 * w.1

-- w (J v) = (w J) v.
def first_i64 [n] [m] (f: ([n]i64, [m]i64, i64) -> ([n]i64, i64)) (x: ([n]i64, [m]i64, i64)) =
  let (v, w) = (args_i64 n m 1, (way_i64 n 4, 2i64))
  let (r, t) = jvp2 f x v
  let s = vjp f x w
  let (forward, back) = (weighed_i64 t w, inner_i64 s v)
  in (forward == back, forward, r.0, r.1, s.0, s.1)

-- The same in several directions at once.
def several_i64 [n] [m] (f: ([n]i64, [m]i64, i64) -> ([n]i64, i64)) (x: ([n]i64, [m]i64, i64)) =
  let vs = map (\k -> args_i64 n m k) [1, 2, 5]
  let ws = map (\k -> (way_i64 n k, k)) [4i64, 3]
  let forward = map (\t -> map (weighed_i64 t) ws) (jmp f x vs)
  let back = transpose (map (\s -> map (inner_i64 s) vs) (mjp f x ws))
  let equal = and (map2 (\a b -> and (map2 (==) a b)) forward back)
  in (equal, i64.sum (flatten forward), [forward[0, 0]], forward[1, 0], [forward[1, 1]], [forward[2, 1]])

-- u H v by four mixtures of modes.
def second_i64 [n] [m] (f: ([n]i64, [m]i64, i64) -> ([n]i64, i64)) (x: ([n]i64, [m]i64, i64)) =
  let (u, v, w) = (args_i64 n m 1, args_i64 n m 3, (way_i64 n 4, 2i64))
  let g x = weighed_i64 (f x) w
  let forward_reverse = inner_i64 u (jvp (\x -> vjp g x 1) x v)
  let reverse_reverse = inner_i64 v (vjp (\x -> inner_i64 u (vjp g x 1)) x 1)
  let reverse_forward = inner_i64 v (vjp (\x -> jvp g x u) x 1)
  let forward_forward = jvp (\x -> jvp g x u) x v
  let equal =
    forward_reverse == reverse_reverse && reverse_forward == forward_forward && forward_forward == forward_reverse
  in (equal, forward_reverse, [reverse_reverse], reverse_forward, [forward_forward], [g x])

def dot_f64 [n] (a: [n]f64) (b: [n]f64) : f64 = f64.sum (map2 (*) a b)

def way_f64 (n: i64) (k: i64) : [n]f64 = map (\a -> f64.i64 a / 2) (way_i64 n k)

-- Whether all is right, and whether differences could not be looked at: values are large or none, or the function is
-- not smooth here.
def first_f64 [n] [m] (f: ([n]f64, [m]f64, f64) -> ([n]f64, f64)) (x: ([n]f64, [m]f64, f64)) : (bool, bool) =
  let (v, w) = ((way_f64 n 1, way_f64 m 2, 1f64), (way_f64 n 4, 1.5f64))
  let at h = (map2 (\a b -> a + h * b) x.0 v.0, map2 (\a b -> a + h * b) x.1 v.1, x.2 + h * v.2)
  let size (r: ([n]f64, f64)) = dot_f64 (map f64.abs r.0) (map f64.abs w.0) + f64.abs (r.1 * w.1)
  let g h = let r = f (at h) in dot_f64 r.0 w.0 + r.1 * w.1
  let t = jvp f x v
  let s = vjp f x w
  let forward = dot_f64 t.0 w.0 + t.1 * w.1
  let back = dot_f64 s.0 v.0 + dot_f64 s.1 v.1 + s.2 * v.2
  let sizes = size t + dot_f64 (map f64.abs s.0) (map f64.abs v.0) + dot_f64 (map f64.abs s.1) (map f64.abs v.1)
              + f64.abs (s.2 * v.2)
  let most = size (f x)
  let (wild, h) = (!(sizes < 1e6 && most < 1e6), 1e-4)
  let differences h = (g h - g (-h)) / (2 * h)
  let (first, second) = (differences h, differences (h / 2))
  let (better, off) = ((4 * second - first) / 3, f64.abs (first - second))
  let rough = !(off <= 1e-4 * (1e-3 + f64.abs first + f64.abs second))
  let agree = f64.abs (forward - back) <= 1e-10 * (1 + sizes)
  let right = f64.abs (forward - better) <= 8 * off + 1e-8 * (1 + most + sizes)
  in (wild || (agree && (rough || right)), wild || rough)
