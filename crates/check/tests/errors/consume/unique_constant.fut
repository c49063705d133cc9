def buffer : *[]i32 = [0, 0, 0]
-- ==>
-- error: A top-level constant may not have a unique type.
--  --> consume/unique_constant.fut:1:1-32
--   |
-- 1 | def buffer : *[]i32 = [0, 0, 0]
--   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ all of the program shares this value
--   |
--   = help: remove the `*`
