def primes : []i32 = [2, 3, 5]

def get (_: i32) = primes
-- ==>
-- error: Function result aliases the free variable "primes".
--  --> consume/returns_global.fut:3:20-26
--   |
-- 1 | def primes : []i32 = [2, 3, 5]
--   |     ------ bound here
-- 2 |
-- 3 | def get (_: i32) = primes
--   |                    ^^^^^^ returned here
--   |
--   = note: `fehu explain alias-free-variable` says more
--   = help: return a copy, made with `copy`
