def take_first (xs: *[]i64) : i64 = xs[0]

def main (xs: *[]i64) = take_first xs + xs[1]
-- ==>
-- error: Using variable "xs", but this was consumed before.
--  --> consume/use_in_same_sum.fut:3:41-43
--   |
-- 3 | def main (xs: *[]i64) = take_first xs + xs[1]
--   |                                    --   ^^ used here
--   |                                    |
--   |                                    consumed here
--   |
--   = note: `fehu explain use-after-consume` says more
--   = help: consume a copy instead, made with `copy`, to keep the original usable
