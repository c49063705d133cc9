def f (x: i32) = x
def f (x: i32) = x + 1
-- ==>
-- error: Duplicate definition of name f.
--  --> types/duplicate_definition.fut:2:5-6
--   |
-- 1 | def f (x: i32) = x
--   |     - previously defined here
-- 2 | def f (x: i32) = x + 1
--   |     ^ defined again here
