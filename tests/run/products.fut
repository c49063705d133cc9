-- Matrix products, and what has their shape, at sizes near the edges of rectangles, strips and blocks; compared with loops over flat arrays.

module type num = {
  type t
  val of: i64 -> t
  val zero: t
  val highest: t
  val +: t -> t -> t
  val *: t -> t -> t
  val ==: t -> t -> bool
  val min: t -> t -> t
}

module products (n: num) = {
  type t = n.t

  def matrix (k: i64) (m: i64) : *[k][m]t = tabulate_2d k m (\i j -> n.of ((i * 7919 + j * 104729 + i * j * 31) % 1009 - 500))

  def dot xs ys = foldl (n.+) n.zero (map2 (n.*) xs ys)

  #[noinline]
  def product [n][m][p] (a: [n][m]t) (b: [m][p]t) : [n][p]t = map (\r -> map (\c -> dot r c) (transpose b)) a

  #[noinline]
  def with_transposed [n][m][p] (a: [n][m]t) (b: [p][m]t) : [n][p]t = map (\r -> map (\c -> dot r c) b) a

  #[noinline]
  def of_transposed [n][m][p] (a: [m][n]t) (b: [m][p]t) : [n][p]t =
    map (\r -> map (\c -> dot r c) (transpose b)) (transpose a)

  #[noinline]
  def column_by_column [n][m][p] (a: [n][m]t) (b: [m][p]t) : [p][n]t =
    map (\c -> map (\r -> dot r c) a) (transpose b)

  #[noinline]
  def shortest [k][m][p] (a: [k][m]t) (b: [m][p]t) : [k][p]t =
    map (\r -> map (\c -> foldl n.min n.highest (map2 (n.+) r c)) (transpose b)) a

  #[noinline]
  def in_slice [n][m][p] (a: [n][m]t) (b: [m][p]t) : [][]t =
    let all = matrix (n + 3) (p + 5)
    in all with [2:n + 2, 3:p + 3] = map (\r -> map (\c -> dot r c) (transpose b)) a

  -- Rows of the result overlap: the last one to write must stay the last one.
  #[noinline]
  def overlapping [k][m][p] (a: [k][m]t) (b: [m][p]t) : []t =
    loop out = replicate (k + p) n.zero for i < k do
      loop out for j < p do
        #[unsafe] out with [i + j] = loop s = n.zero for l < m do s n.+ (a[i, l] n.* b[l, j])

  #[noinline]
  def flat (start: t) (step: t -> t -> t -> t) (k: i64) (m: i64) (p: i64) (a: i64 -> i64 -> t) (b: i64 -> i64 -> t) : [k * p]t =
    tabulate (k * p) (\q -> loop s = start for l < m do step s (a (q / p) l) (b l (q % p)))

  def same [k][m] (xs: [k]t) (ys: [m]t) = k == m && and (map2 (n.==) xs (ys :> [k]t))

  def add s x y = s n.+ (x n.* y)

  def two (k: i64) (m: i64) (p: i64) : bool =
    let (a, b, bt) = (matrix k m, matrix m p, matrix p m)
    in same (flatten (product a b)) (flat n.zero add k m p (\i l -> a[i, l]) (\l j -> b[l, j]))
       && same (flatten (with_transposed a bt)) (flat n.zero add k m p (\i l -> a[i, l]) (\l j -> bt[j, l]))

  def all (k: i64) (m: i64) (p: i64) : bool =
    let (a, b, at, bt) = (matrix k m, matrix m p, matrix m k, matrix p m)
    let right = flat n.zero add k m p (\i l -> a[i, l]) (\l j -> b[l, j])
    let last = tabulate (k + p) (\q -> if q >= k + p - 1 || k == 0 || p == 0 then n.zero
                                       else let i = i64.min q (k - 1) in right[i * p + q - i])
    in same (flatten (product a b)) right
       && same (flatten (with_transposed a bt)) (flat n.zero add k m p (\i l -> a[i, l]) (\l j -> bt[j, l]))
       && same (flatten (of_transposed at b)) (flat n.zero add k m p (\i l -> at[l, i]) (\l j -> b[l, j]))
       && same (flatten (transpose (column_by_column a b))) right
       && same (flatten (shortest a b))
               (flat n.highest (\s x y -> n.min s (x n.+ y)) k m p (\i l -> a[i, l]) (\l j -> b[l, j]))
       && same (flatten (in_slice a b)[2:k + 2, 3:p + 3]) right
       && same (overlapping a b) last

  def at_sizes (count: i64) = and (map (\t -> all (1 + t * 7 % 40) (1 + t * 11 % 40) (1 + t * 17 % 40)) (iota count))
}

module of_i32 = products { open i32 def of = i64 def zero = 0i32 }
module of_f32 = products { open f32 def of i = i64 i / 64 def zero = 0f32 }
module of_f64 = products { open f64 def of i = i64 i / 64 def zero = 0f64 }

-- ==
-- entry: i32s f32s f64s
-- input { 0i64 3i64 4i64 } output { true }
-- input { 3i64 0i64 40i64 } output { true }
-- input { 3i64 4i64 0i64 } output { true }
-- input { 1i64 9i64 33i64 } output { true }
-- input { 5i64 9i64 32i64 } output { true }
-- input { 16i64 9i64 16i64 } output { true }
-- input { 31i64 66i64 47i64 } output { true }
-- input { 126i64 10i64 130i64 } output { true }
-- input { 7i64 13i64 515i64 } output { true }
entry i32s k m p = of_i32.all k m p
entry f32s k m p = of_f32.all k m p
entry f64s k m p = of_f64.two k m p

-- ==
-- entry: many_sizes
-- input { 20i64 } output { true }
entry many_sizes (count: i64) = of_i32.at_sizes count && of_f32.at_sizes count
