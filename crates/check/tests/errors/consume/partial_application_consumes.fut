def put (xs: *[]i32) (i: i32) : *[]i32 = xs with [i] = 0

def main (xs: *[]i32) =
  let f = put xs
  in f 2
-- ==>
-- error: Let-bound expression of higher-order type (i: i32) -> *[d]i32 contains consumption, which is not allowed.
--  --> consume/partial_application_consumes.fut:4:11-17
--   |
-- 4 |   let f = put xs
--   |           ^^^^--
--   |           |   |
--   |           |   consumed here
--   |           each use of this function would consume again
--   |
--   = note: `fehu explain contains-consumption` says more
--   = help: consume a copy, made with `copy`
