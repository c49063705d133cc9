def pair (n: i64) : ([]i64, []i64) =
  let xs = iota n
  in (xs, xs)

def main (n: i64) =
  let (a, b) = pair n
  let a[0] = 1
  in b
-- ==>
-- error: Using result of applying "pair", but this was consumed before.
--  --> consume/result_parts_share.fut:8:6-7
--   |
-- 6 |   let (a, b) = pair n
--   |                ------ the result of this call
-- 7 |   let a[0] = 1
--   |       - consumed here
-- 8 |   in b
--   |      ^ used here
--   |
--   = note: "b" may share its memory with result of applying "pair"
--   = note: `fehu explain use-after-consume` says more
--   = help: consume a copy instead, made with `copy`, to keep the original usable
--
-- warning: Unused name "a".
--  --> consume/result_parts_share.fut:7:7-8
--   |
-- 7 |   let a[0] = 1
--   |       ^ the updated value is never used
