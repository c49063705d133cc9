module type s = { type t [n] }
module m : s with t [n] = [n + 1]i32 = { type t [n] = [n * 1]i32 }
-- ==>
-- error: Module defines
--          type t [n] = [n * 1]i32
--        but module type requires
--          type t [n] = [n + 1]i32
--  --> modules/size_operators_of_refinement.fut:2:12-37
--   |
-- 2 | module m : s with t [n] = [n + 1]i32 = { type t [n] = [n * 1]i32 }
--   |            ^^^^^^^^^^^^^^^^^^^^^^^^^          - defined here
