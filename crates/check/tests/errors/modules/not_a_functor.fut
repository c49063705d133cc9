module m = {def x = 2i32}
module k = m {def y = 3i32}
-- ==>
-- error: Cannot apply non-parametric module.
--  --> modules/not_a_functor.fut:2:12-13
--   |
-- 2 | module k = m {def y = 3i32}
--   |            ^ not a parametric module
