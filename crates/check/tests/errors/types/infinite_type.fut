def main f = f f
-- ==>
-- error: Cannot apply "f" to "f".
--        Occurs check: the type would contain itself.
--  --> types/infinite_type.fut:1:14-15
--   |
-- 1 | def main f = f f
--   |              ^
--   |
--   = note: `fehu explain occurs-check` says more
