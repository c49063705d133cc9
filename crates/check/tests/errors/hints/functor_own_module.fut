module type generator = { type rng val next : rng -> (rng, u32) }
module type with_step = { val step : i32 }
module counter = { type rng = u32 def next (x: rng) = (x + 1, x) }
module uniform (R: real) (E: generator) = { def zero = R.i32 0 }

module twice = uniform f64 f32
-- ==>
-- error: Module does not define a type named "rng".
--  --> hints/functor_own_module.fut:6:28-31
--   |
-- 4 | module uniform (R: real) (E: generator) = { def zero = R.i32 0 }
--   |                          -------------- the parameter that it must suit
-- 5 |
-- 6 | module twice = uniform f64 f32
--   |                            ^^^
--   |
--   = help: "counter" suits it
