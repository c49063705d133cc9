def f (n: i64) = iota n ++ oops n
entry main (n: i64): i32 =
  let xs = f n
  let k = 10
  in reduce (\a b -> a + b * k) 0 xs
-- ==>
-- error: Unknown name "oops".
--  --> after/broken_array.fut:1:28-32
--   |
-- 1 | def f (n: i64) = iota n ++ oops n
--   |                            ^^^^ not in scope
