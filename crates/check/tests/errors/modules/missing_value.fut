module type mt = {
  module inner: {val x : i32}
}

module m : mt = {
  module inner = {def y : i32 = 1}
}
-- ==>
-- error: Module does not define a value named "inner.x".
--  --> modules/missing_value.fut:5:12-14
--   |
-- 5 | module m : mt = {
--   |            ^^
