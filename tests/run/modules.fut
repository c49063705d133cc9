-- Modules, functors and abstract types.
module type monoid = {
  type t
  val neutral : t
  val combine : t -> t -> t
}

module folds (M: monoid) = {
  def fold (xs: []M.t) : M.t = reduce M.combine M.neutral xs
  module twice = { def fold2 (xs: []M.t) = M.combine (fold xs) (fold xs) }
}

module sums = folds { type t = i32 def neutral = 0i32 def combine = (i32.+) }
module pairs = folds {
  type t = (i32, f64)
  def neutral = (1i32, 0f64)
  def combine (a, x) (b, y) : t = (a * b, f64.max x y)
}

-- ==
-- input { [1,2,3] [0.5,0.25,2.0] } output { 6 12 6 2.0 }

entry main [n] (xs: [n]i32) (ys: [n]f64) =
  let (p, m) = pairs.fold (zip xs ys)
  in (sums.fold xs, sums.twice.fold2 xs, p, m)

-- The size of what a function returns depends on its parameters, by branches and elements; the module type only says that there is one.
module type pieces = {
  type~ ps [k]
  val make [k] : [k]i64 -> ps [k]
  val piece [k] : i64 -> ps [k] -> ?[d].{xs: [d]i64, ys: [d]f64}
}

module pieces : pieces = {
  type~ ps [k] = ?[n].{starts: [k]i64, xs: [n]i64, ys: [n]f64}
  def make starts =
    let n = i64.maximum starts + 2
    in {starts, xs = iota n, ys = map f64.i64 (iota n)}
  def piece [k] (i: i64) (p: ps [k]) : ?[d].{xs: [d]i64, ys: [d]f64} =
    let from = p.starts[i]
    let to = if i + 1 < k && i >= 0 then p.starts[i + 1] else length p.xs
    in {xs = p.xs[from:to], ys = p.ys[from:to]}
}

-- ==
-- entry: taken
-- input { [0i64, 2i64, 5i64] 1i64 } output { [2i64, 3i64, 4i64] [2.0, 3.0, 4.0] }
-- input { [0i64, 2i64, 5i64] 2i64 } output { [5i64, 6i64] [5.0, 6.0] }
entry taken (starts: []i64) (i: i64) =
  let p = pieces.piece i (pieces.make starts)
  in (p.xs, p.ys)
