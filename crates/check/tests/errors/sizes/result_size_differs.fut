def grow [n] (xs: [n]i32) : [n]i32 = concat xs [1]
-- ==>
-- error: Function body does not have expected type.
--        Expected: [n]i32
--        Actual:   [n + 1]i32
--        Sizes "n" and "n + 1" do not match.
--  --> sizes/result_size_differs.fut:1:38-51
--   |
-- 1 | def grow [n] (xs: [n]i32) : [n]i32 = concat xs [1]
--   |                                      ^^^^^^^^^^^^^
