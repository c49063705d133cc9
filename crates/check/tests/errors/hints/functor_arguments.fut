module scaled (R: numeric) (E: integral) = { def two = R.i32 2 }
module m = scaled f64 f32
-- ==>
-- error: Module does not define a value named "//".
--  --> hints/functor_arguments.fut:2:23-26
--   |
-- 1 | module scaled (R: numeric) (E: integral) = { def two = R.i32 2 }
--   |                            ------------- the parameter that it must suit
-- 2 | module m = scaled f64 f32
--   |                       ^^^
--   |
--   = help: "u64" and "u32" suit it
