module type generator = { type rng val next : rng -> (rng, u32) }
module type with_step = { val step : i32 }
module counter = { type rng = u32 def next (x: rng) = (x + 1, x) }
module uniform (R: real) (E: generator) = { def zero = R.i32 0 }

module integers = uniform i32 counter
-- ==>
-- error: Module does not define a value named "recip".
--  --> hints/functor_integers.fut:6:27-30
--   |
-- 4 | module uniform (R: real) (E: generator) = { def zero = R.i32 0 }
--   |                --------- the parameter that it must suit
-- 5 |
-- 6 | module integers = uniform i32 counter
--   |                           ^^^
--   |
--   = help: "f64" and "f32" suit it
