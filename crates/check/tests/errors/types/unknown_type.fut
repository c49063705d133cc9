def main (x: i23) = x
-- ==>
-- error: Unknown type "i23".
--  --> types/unknown_type.fut:1:14-17
--   |
-- 1 | def main (x: i23) = x
--   |              ^^^
--   |
--   = help: there is a type "i32"
