type opt = #some i32 | #none

def add (a: opt) (b: opt) : i32 =
  match (a, b)
  case (#some x, #some y) -> x + y
  case (#none, _) -> 0
-- ==>
-- error: Unmatched cases in match expression:
--          (#some _, #none)
--  --> coverage/unmatched_nested.fut:4:3-6:23
--   |
-- 4 | /   match (a, b)
-- 5 | |   case (#some x, #some y) -> x + y
-- 6 | |   case (#none, _) -> 0
--   | |______________________^ some values match no case
--   |
--   = note: `fehu explain unmatched-cases` says more
--   = help: add cases for these values, or a last case `_`
