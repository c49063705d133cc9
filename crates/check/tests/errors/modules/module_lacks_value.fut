module type counter = {
  type t
  val zero : t
  val next : t -> t
}

module ints : counter = {
  type t = i32
  def zero = 0i32
}
-- ==>
-- error: Module does not define a value named "next".
--  --> modules/module_lacks_value.fut:7:15-22
--   |
-- 7 | module ints : counter = {
--   |               ^^^^^^^
