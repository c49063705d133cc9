def main (xs: []i32) =
  let empty = [] : [][]i32
  let full = [filter (> 0) xs]
  in empty[0] == full[0]
-- ==>
-- error: Causality check: size "m" needed for type of empty array:
--          [0][m]i32
--  --> sizes/causality.fut:2:15-17
--   |
-- 2 |   let empty = [] : [][]i32
--   |               ^^
-- 3 |   let full = [filter (> 0) xs]
--   |               --------------- but it is computed here
--   |
--   = note: `fehu explain causality-check` says more
--   = help: bind the expression that produces "m" with "let" beforehand
