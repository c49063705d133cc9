def twice (xs: *[]i32) : (*[]i32, *[]i32) = (xs, xs)
-- ==>
-- error: A unique-typed component of the return value is aliased to some other component.
--  --> consume/return_components_aliased.fut:1:45-53
--   |
-- 1 | def twice (xs: *[]i32) : (*[]i32, *[]i32) = (xs, xs)
--   |                                             ^^^^^^^^ these components share memory
--   |
--   = note: `fehu explain unique-return-aliased` says more
--   = help: return a copy of one of them, made with `copy`
