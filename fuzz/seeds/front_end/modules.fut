module type mt = { type t val f : t -> i32 }
module m : mt = { type t = i64 def f (x: t) = i32.i64 x }
module p (A: mt) = { def g [n] (xs: [n]A.t) : [n]i32 = map A.f xs }
module q = p m
entry main (xs: []i64) = q.g (map (\x -> x) xs) |> i32.sum
