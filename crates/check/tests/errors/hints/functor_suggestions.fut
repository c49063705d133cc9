module type generator = { type rng val next : rng -> (rng, u32) }
module type with_step = { val step : i32 }
module counter = { type rng = u32 def next (x: rng) = (x + 1, x) }
module uniform (R: real) (E: generator) = { def zero = R.i32 0 }

module swapped = uniform counter f64
-- ==>
-- error: Module does not define a type named "t".
--  --> hints/functor_suggestions.fut:6:26-33
--   |
-- 4 | module uniform (R: real) (E: generator) = { def zero = R.i32 0 }
--   |                --------- the parameter that it must suit
-- 5 |
-- 6 | module swapped = uniform counter f64
--   |                          ^^^^^^^
--   |
--   = help: "f64" and "f32" suit it
