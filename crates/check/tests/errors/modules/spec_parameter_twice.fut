module type mt = {
  val f : (n: i64) -> (n: i64) -> [n]i32
}
-- ==>
-- error: Name "n" also bound within the same type.
--  --> modules/spec_parameter_twice.fut:2:24-25
--   |
-- 2 |   val f : (n: i64) -> (n: i64) -> [n]i32
--   |            -           ^ bound again here
--   |            |
--   |            first bound here
