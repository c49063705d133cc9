type word = i32
type flag = bool
module type mt = {module inner: {type t = flag}}
module m : mt = {module inner = {type t = word}}
-- ==>
-- error: Module defines
--          type inner.t = i32
--        but module type requires
--          type inner.t = bool
--  --> modules/type_mismatch_of_abbreviations.fut:4:12-14
--   |
-- 4 | module m : mt = {module inner = {type t = word}}
--   |            ^^                         - defined here
