def xor (p: {a: bool, b: bool}) : bool =
  match p
  case {a = true, b = false} -> true
  case {a = false, b = true} -> true
-- ==>
-- error: Unmatched cases in match expression:
--          {a = false, b = false}
--          {a = true, b = true}
--  --> coverage/unmatched_booleans.fut:2:3-4:37
--   |
-- 2 | /   match p
-- 3 | |   case {a = true, b = false} -> true
-- 4 | |   case {a = false, b = true} -> true
--   | |____________________________________^ some values match no case
--   |
--   = note: `fehu explain unmatched-cases` says more
--   = help: add cases for these values, or a last case `_`
