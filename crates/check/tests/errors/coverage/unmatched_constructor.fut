type shape = #circle f32 | #square f32 | #dot

def area (s: shape) : f32 =
  match s
  case #circle r -> 3.14 * r * r
  case #square a -> a * a
-- ==>
-- error: Unmatched cases in match expression:
--          #dot
--  --> coverage/unmatched_constructor.fut:4:3-6:26
--   |
-- 4 | /   match s
-- 5 | |   case #circle r -> 3.14 * r * r
-- 6 | |   case #square a -> a * a
--   | |_________________________^ some values match no case
--   |
--   = note: `fehu explain unmatched-cases` says more
--   = help: add cases for these values, or a last case `_`
