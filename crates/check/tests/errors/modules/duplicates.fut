type t = i32
type t = bool
def x : i32 = 1
module x = {}
module type s = {}
module type s = {type t}
-- ==>
-- error: Duplicate definition of type t.
--  --> modules/duplicates.fut:2:6-7
--   |
-- 1 | type t = i32
--   |      - previously defined here
-- 2 | type t = bool
--   |      ^ defined again here
--
-- error: Duplicate definition of name x.
--  --> modules/duplicates.fut:4:8-9
--   |
-- 3 | def x : i32 = 1
--   |     - previously defined here
-- 4 | module x = {}
--   |        ^ defined again here
--
-- error: Duplicate definition of module type s.
--  --> modules/duplicates.fut:6:13-14
--   |
-- 5 | module type s = {}
--   |             - previously defined here
-- 6 | module type s = {type t}
--   |             ^ defined again here
