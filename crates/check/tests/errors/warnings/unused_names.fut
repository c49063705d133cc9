def main (xs: []i32) (unused: i32) =
  let total = i32.sum xs
  let helper (y: i32) = y + 1
  let (a, b) = (1i32, 2i32)
  in a
-- ==>
-- warning: Unused name "unused".
--  --> warnings/unused_names.fut:1:23-29
--   |
-- 1 | def main (xs: []i32) (unused: i32) =
--   |                       ^^^^^^ never used
--   |
--   = help: remove it, or write `_unused` to keep it
--
-- warning: Unused name "total".
--  --> warnings/unused_names.fut:2:7-12
--   |
-- 2 |   let total = i32.sum xs
--   |       ^^^^^ never used
--   |
--   = help: remove it, or write `_total` to keep it
--
-- warning: Unused name "helper".
--  --> warnings/unused_names.fut:3:7-13
--   |
-- 3 |   let helper (y: i32) = y + 1
--   |       ^^^^^^ never used
--   |
--   = help: remove it, or write `_helper` to keep it
--
-- warning: Unused name "b".
--  --> warnings/unused_names.fut:4:11-12
--   |
-- 4 |   let (a, b) = (1i32, 2i32)
--   |           ^ never used
--   |
--   = help: remove it, or write `_b` to keep it
