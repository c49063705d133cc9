def sign (x: i32) : i32 =
  match x
  case 0 -> 0
  case _ -> 1
  case 5 -> 2
-- ==>
-- warning: Redundant case: the cases before it match all its values.
--  --> coverage/redundant_case.fut:5:8-9
--   |
-- 5 |   case 5 -> 2
--   |        ^ never reached
