module m = intrinsics
-- ==>
-- error: The 'intrinsics' module may not be used in module expressions.
--  --> modules/intrinsics.fut:1:12-22
--   |
-- 1 | module m = intrinsics
--   |            ^^^^^^^^^^
