entry main 'a (x: a) = x
-- ==>
-- error: Entry point functions may not be polymorphic.
--  --> types/polymorphic_entry.fut:1:7-11
--   |
-- 1 | entry main 'a (x: a) = x
--   |       ^^^^
--   |
--   = note: `fehu explain polymorphic-entry` says more
--   = help: declare one entry point for each type that it is needed at
