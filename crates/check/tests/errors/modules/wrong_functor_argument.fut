module twice (m: { val step : i32 -> i32 }) = {
  def run (x: i32) = m.step (m.step x)
}

module bad = twice { def step (x: bool) = x }
-- ==>
-- error: Value "step" is not as the module type says. Module type specifies
--          val step : i32 -> i32
--        but module provides
--          val step : (x: bool) -> bool
--        Types
--          bool
--        and
--          i32
--        do not match.
--  --> modules/wrong_functor_argument.fut:5:20-46
--   |
-- 1 | module twice (m: { val step : i32 -> i32 }) = {
--   |              ------------------------------ the parameter that it must suit
-- ...
-- 5 | module bad = twice { def step (x: bool) = x }
--   |                    ^^^^^^----^^^^^^^^^^^^^^^^
--   |                          |
--   |                          provided here
