def main (count: i32) = cuont + 1
-- ==>
-- error: Unknown name "cuont".
--  --> types/unknown_variable.fut:1:25-30
--   |
-- 1 | def main (count: i32) = cuont + 1
--   |                         ^^^^^ not in scope
--   |
--   = help: there is "count"
