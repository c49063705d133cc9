type shape = #circle i32 | #square i32

def scaled (s: shape) (k: i32) =
  match s
  case #circle r -> #circle (r * kk)
  case #square e -> #square (e * k)

entry main (x: i32): i32 =
  match scaled (#circle x) 2
  case #circle r -> 3 * r * r
  case #square e -> e * e
-- ==>
-- error: Unknown name "kk".
--  --> after/broken_function.fut:5:34-36
--   |
-- 5 |   case #circle r -> #circle (r * kk)
--   |                                  ^^ not in scope
