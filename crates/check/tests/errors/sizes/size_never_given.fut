def main [n] (x: i32) = x + i32.i64 n
-- ==>
-- error: Size parameter [n] unused in the type of "main".
--  --> sizes/size_never_given.fut:1:11-12
--   |
-- 1 | def main [n] (x: i32) = x + i32.i64 n
--   |           ^ Size [n] unused
--   |
--   = note: `fehu explain unused-size` says more
--   = help: use it as the size of a parameter, or make it an ordinary parameter
