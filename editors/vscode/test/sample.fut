-- | Documentation.
import "lib/a"
module type num = { type t val add: t -> t -> t }
module m = { open f32 def twice 'a [n] (xs: [n]f32) = map (*2.5e-1f32) xs }
type~ pair 'a = (a, []i64)
-- ==
-- input { 1 }
#[inline] entry main (x: i32) : bool =
  let f y = y `m.twice` 0x1Fu8
  let c = 'a' in match #some x
  case #some v -> assert (v >= 1_000) (f "text\n" != true)
  case _ -> ??? -- >>> main 4
