module F (P: {}) = {def x = 2i32}
open F
-- ==>
-- error: Cannot have a parametric module here.
--  --> modules/functor_opened.fut:2:6-7
--   |
-- 2 | open F
--   |      ^
--   |
--   = note: a parametric module has no content until it is applied to an argument
