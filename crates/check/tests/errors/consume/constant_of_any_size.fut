-- A constant of any size is made anew at each use; a constant of any type is not.
def numbers [n] : [n]i64 = 0..1..<n
def nothing 't : [0]t = []

def fine (n: i64) : *[n]i64 = numbers
def wrong (_: bool) : *[0]i32 = nothing
-- ==>
-- error: Function result aliases the free variable "nothing".
--  --> consume/constant_of_any_size.fut:6:33-40
--   |
-- 3 | def nothing 't : [0]t = []
--   |     ------- bound here
-- ...
-- 6 | def wrong (_: bool) : *[0]i32 = nothing
--   |                                 ^^^^^^^ returned here
--   |
--   = note: `fehu explain alias-free-variable` says more
--   = help: return a copy, made with `copy`
