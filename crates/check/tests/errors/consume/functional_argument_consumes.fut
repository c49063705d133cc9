def put (xs: *[]i64) (i: i64) : i64 = xs[i]

def main (xs: *[]i64) (is: []i64) = map (put xs) is
-- ==>
-- error: Argument of functional type (i: i64) -> i64 contains consumption, which is not allowed.
--  --> consume/functional_argument_consumes.fut:3:41-49
--   |
-- 3 | def main (xs: *[]i64) (is: []i64) = map (put xs) is
--   |                                         ^^^^^--^
--   |                                         |    |
--   |                                         |    consumed here
--   |                                         this function may be applied many times
--   |
--   = note: `fehu explain consuming-argument` says more
