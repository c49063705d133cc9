module m = missing.part
-- ==>
-- error: Unknown module "missing.part".
--  --> modules/unknown_module.fut:1:12-24
--   |
-- 1 | module m = missing.part
--   |            ^^^^^^^^^^^^
