type t0 = (i32, i32, i32, i32, i32, i32, i32, i32)
type t1 = (t0, t0, t0, t0, t0, t0, t0, t0)
type t2 = (t1, t1, t1, t1, t1, t1, t1, t1)
type t3 = (t2, t2, t2, t2, t2, t2, t2, t2)
type t4 = (t3, t3, t3, t3, t3, t3, t3, t3)
type t5 = (t4, t4, t4, t4, t4, t4, t4, t4)

def f (x: t5) : i32 = 0
-- ==>
-- error: This type has more than 100000 parts, or is nested more than 400 times, when its abbreviations are expanded.
--  --> types/doubled_abbreviations.fut:8:11-13
--   |
-- 6 | type t5 = (t4, t4, t4, t4, t4, t4, t4, t4)
--   |      -- declared here
-- 7 |
-- 8 | def f (x: t5) : i32 = 0
--   |           ^^
