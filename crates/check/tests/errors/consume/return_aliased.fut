def fresh (xs: []i32) : *[]i32 = xs
-- ==>
-- error: Unique-typed return value is aliased to "xs", which is not consumable.
--  --> consume/return_aliased.fut:1:34-36
--   |
-- 1 | def fresh (xs: []i32) : *[]i32 = xs
--   |            -- bound here         ^^ this value is returned
--   |
--   = note: `fehu explain return-aliased` says more
--   = help: return a copy, made with `copy`, or remove the `*` from the result type
