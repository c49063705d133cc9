def main (x: i32) = {a = x, a = 2i32}
-- ==>
-- error: Field "a" previously defined.
--  --> types/duplicate_field.fut:1:29-30
--   |
-- 1 | def main (x: i32) = {a = x, a = 2i32}
--   |                      -      ^ defined again
--   |                      |
--   |                      first defined here
