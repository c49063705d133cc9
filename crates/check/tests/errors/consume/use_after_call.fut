def clear (xs: *[]f32) : *[]f32 = xs with [0] = 0

def both (xs: *[]f32) =
  let ys = clear xs
  in (ys, length xs)
-- ==>
-- error: Using variable "xs", but this was consumed before.
--  --> consume/use_after_call.fut:5:18-20
--   |
-- 4 |   let ys = clear xs
--   |                  -- consumed here
-- 5 |   in (ys, length xs)
--   |                  ^^ used here
--   |
--   = note: `fehu explain use-after-consume` says more
--   = help: consume a copy instead, made with `copy`, to keep the original usable
