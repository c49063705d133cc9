def main (x: i32) : bool = x + 1
-- ==>
-- error: Function body does not have expected type.
--        Expected: bool
--        Actual:   i32
--        Types "bool" and "i32" do not match.
--  --> types/result_type_differs.fut:1:28-33
--   |
-- 1 | def main (x: i32) : bool = x + 1
--   |                            ^^^^^
