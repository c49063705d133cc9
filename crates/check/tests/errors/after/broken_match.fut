def pick (x: i32) = oops x
entry main (x: i32): i32 =
  match pick x
  case #circle r -> r
  case #square e -> e
-- ==>
-- error: Unknown name "oops".
--  --> after/broken_match.fut:1:21-25
--   |
-- 1 | def pick (x: i32) = oops x
--   |                     ^^^^ not in scope
