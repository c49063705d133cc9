def main (x: (i32, bool)) =
  let (n, true) = x
  in n
-- ==>
-- error: Refutable pattern not allowed here. Unmatched cases:
--          (_, false)
--  --> coverage/refutable_let.fut:2:7-16
--   |
-- 2 |   let (n, true) = x
--   |       ^^^^^^^^^ does not match all values of its type
--   |
--   = note: `fehu explain refutable-pattern` says more
--   = help: use `match` to tell the cases apart
