def main (n: i64) =
  let spare = iota n
  in loop cur = iota n for i < n do
       let cur[0] = i
       in if i > 2 then cur else spare
-- ==>
-- error: Return value for consuming loop parameter "cur" aliases "spare".
--  --> consume/loop_returns_outer.fut:4:8-5:39
--   |
-- 2 |     let spare = iota n
--   |         ----- bound here
-- 3 |     in loop cur = iota n for i < n do
-- 4 | /        let cur[0] = i
-- 5 | |        in if i > 2 then cur else spare
--   | |______________________________________^ the next iteration would consume this
--   |
--   = note: `fehu explain consuming-loop-param-aliases` says more
--   = help: return a copy, made with `copy`
