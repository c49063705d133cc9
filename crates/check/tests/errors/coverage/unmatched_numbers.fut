def name (n: i32) : i32 =
  match n
  case 0 -> 10
  case 1 -> 20
-- ==>
-- error: Unmatched cases in match expression:
--          _
--  --> coverage/unmatched_numbers.fut:2:3-4:15
--   |
-- 2 | /   match n
-- 3 | |   case 0 -> 10
-- 4 | |   case 1 -> 20
--   | |______________^ some values match no case
--   |
--   = note: `fehu explain unmatched-cases` says more
--   = help: add cases for these values, or a last case `_`
