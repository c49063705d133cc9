module type mt = {module inner: {type t = bool}}
module m : mt = {module inner = {type t = i32}}
-- ==>
-- error: Module defines
--          type inner.t = i32
--        but module type requires
--          type inner.t = bool
--  --> modules/type_mismatch.fut:2:12-14
--   |
-- 2 | module m : mt = {module inner = {type t = i32}}
--   |            ^^                         - defined here
