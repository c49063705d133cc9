module type mt = {
  val f : i32 -> i32
  type t
  val f : bool -> bool
  type t
}
-- ==>
-- error: Duplicate definition of name f.
--  --> modules/spec_duplicate.fut:4:7-8
--   |
-- 2 |   val f : i32 -> i32
--   |       - previously defined here
-- 3 |   type t
-- 4 |   val f : bool -> bool
--   |       ^ defined again here
--
-- error: Duplicate definition of type t.
--  --> modules/spec_duplicate.fut:5:8-9
--   |
-- 3 |   type t
--   |        - previously defined here
-- 4 |   val f : bool -> bool
-- 5 |   type t
--   |        ^ defined again here
