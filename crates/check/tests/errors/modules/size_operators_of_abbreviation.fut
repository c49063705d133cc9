module m : { type t [n] [m] = [n + m]i32 } = { type t [n] [m] = [n * m]i32 }
-- ==>
-- error: Module defines
--          type t [n] [m] = [n * m]i32
--        but module type requires
--          type t [n] [m] = [n + m]i32
--  --> modules/size_operators_of_abbreviation.fut:1:12-43
--   |
-- 1 | module m : { type t [n] [m] = [n + m]i32 } = { type t [n] [m] = [n * m]i32 }
--   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^          - defined here
