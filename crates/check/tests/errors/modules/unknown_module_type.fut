module m : missing = {}
-- ==>
-- error: Unknown module type "missing".
--  --> modules/unknown_module_type.fut:1:12-19
--   |
-- 1 | module m : missing = {}
--   |            ^^^^^^^
