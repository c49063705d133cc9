module type has_t = {type t}
module m : has_t = {def t = 2i32}
-- ==>
-- error: Module does not define a type named "t".
--  --> modules/missing_type.fut:2:12-17
--   |
-- 2 | module m : has_t = {def t = 2i32}
--   |            ^^^^^
