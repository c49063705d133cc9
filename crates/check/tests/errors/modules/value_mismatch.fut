module type mt = {
  module inner: {val x : bool}
}

module m : mt = {
  module inner = {def x : i32 = 1}
}
-- ==>
-- error: Value "inner.x" is not as the module type says. Module type specifies
--          val inner.x : bool
--        but module provides
--          val inner.x : i32
--        Types
--          bool
--        and
--          i32
--        do not match.
--  --> modules/value_mismatch.fut:5:12-14
--   |
-- 5 | module m : mt = {
--   |            ^^
-- 6 |   module inner = {def x : i32 = 1}
--   |                       - provided here
