def eat (xs: *[]i64) : i64 = xs[0]

def f (ns: *[]i64) (xs: [eat ns]i32) = xs[0]
-- ==>
-- error: Consuming variable "ns", which is not consumable.
--  --> consume/size_consumes.fut:3:30-32
--   |
-- 3 | def f (ns: *[]i64) (xs: [eat ns]i32) = xs[0]
--   |        --                    ^^ consumed here
--   |        |
--   |        bound outside the function or loop body that consumes it
--   |
--   = note: `fehu explain not-consumable` says more
--   = help: consume a copy, made with `copy`
