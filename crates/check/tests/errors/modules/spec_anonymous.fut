module type mt = {
  val f : []i32 -> i32
}
-- ==>
-- error: All function parameters must have non-anonymous sizes.
--  --> modules/spec_anonymous.fut:2:3-23
--   |
-- 2 |   val f : []i32 -> i32
--   |   ^^^^^^^^^^^^^^^^^^^^
--   |
--   = help: add size parameters to "f", and use them in place of []
