type t 'a [n] = { a:i32 , b: [n]a,
   c: (i32,i64)
   }
type sum = #a i32|#b [](i32, i64)
type sums =
   #a i32 | #b
   | #c {x:i32}
type^ f = (n: i64)->[n]i32 -> ?[m].[m]i32
type^ g = i32 ->
   *[]i32
   -> i32
module type S = { type t type~ u
  -- | Both.
  val + : t -> t -> t
  val first [n] 'a:
    [n]a -> a
  include T with t = i32 with u = bool
  module inner : { val x : i32 }
  #[foo] val attributed : i32 }
module type R = S with t = i32
   with u = bool
module type F = (A: S) -> (B: S)
   -> { val x : i32 }
module functor (A: S) (B: S with t = i32) : S with t = A.t = { open A
  open B }
module applied = functor { type t = i32 } (functor
   a b)
module lambda = \(A: S) : S -> A
module empty = {}
