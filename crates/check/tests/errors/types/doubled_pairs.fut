def eight 'a (x: a) = (x, x, x, x, x, x, x, x)

def f (x: i32) =
  let y = eight (eight (eight (eight (eight (eight (eight x))))))
  in y.0
-- ==>
-- error: The type of this expression has more than 100000 parts, or is nested more than 400 times.
--  --> types/doubled_pairs.fut:4:18-65
--   |
-- 4 |   let y = eight (eight (eight (eight (eight (eight (eight x))))))
--   |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
