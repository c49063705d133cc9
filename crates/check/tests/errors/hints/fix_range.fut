def xs (n: i64) = 0..n
-- ==>
-- error: A range is written with '...', not '..'.
--  --> hints/fix_range.fut:1:20-22
--   |
-- 1 | def xs (n: i64) = 0..n
--   |                    ^^
--   |
--   = help: write a...b to include b, a..<b to stop before it, a..s...b for the step s-a
