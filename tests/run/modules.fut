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
