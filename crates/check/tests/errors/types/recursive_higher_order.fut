def walk (f: i32 -> i32) (n: i32) : i32 =
  if n == 0 then f 0 else walk (\x -> f x + 1) (n - 1)
-- ==>
-- error: Higher-order argument "\x -> f x + 1i32" of recursive function "walk" must be passed unchanged.
--  --> types/recursive_higher_order.fut:2:32-47
--   |
-- 1 | def walk (f: i32 -> i32) (n: i32) : i32 =
--   |           - the parameter that must be passed on
-- 2 |   if n == 0 then f 0 else walk (\x -> f x + 1) (n - 1)
--   |                                ^^^^^^^^^^^^^^^
