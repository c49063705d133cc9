def shift [k] (steps: i64) (xs: [k]i32) =
  loop ys = xs for _i < steps do
    map2 (+) (map i32.i64 (iota (length ys))) (rotate 1 ys)
-- ==>
-- error: Cannot apply "map2" to "rotate 1 ys" (invalid type).
--        Expected: [length ys]i32
--        Actual:   [d]i32
--        Scope violation: "ys" is not in scope where the size that must equal it is introduced.
--  --> sizes/size_of_loop_parameter.fut:3:47-60
--   |
-- 2 |   loop ys = xs for _i < steps do
--   |        -- "ys" is bound here
-- 3 |     map2 (+) (map i32.i64 (iota (length ys))) (rotate 1 ys)
--   |                                               ^^^^^^^^^^^^^
--   |
--   = note: `fehu explain scope-violation` says more
