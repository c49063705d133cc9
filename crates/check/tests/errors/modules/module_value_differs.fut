module type scale = { val apply : f32 -> f32 }

module twice : scale = { def apply (x: f64) : f64 = 2 * x }
-- ==>
-- error: Value "apply" is not as the module type says. Module type specifies
--          val apply : f32 -> f32
--        but module provides
--          val apply : (x: f64) -> f64
--        Types
--          f64
--        and
--          f32
--        do not match.
--  --> modules/module_value_differs.fut:3:16-21
--   |
-- 3 | module twice : scale = { def apply (x: f64) : f64 = 2 * x }
--   |                ^^^^^         ----- provided here
