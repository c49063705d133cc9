def main (x: i32) (y: f64) = x + y
-- ==>
-- error: Cannot apply "+" to "y" (invalid type).
--        Expected: i32
--        Actual:   f64
--        Types "i32" and "f64" do not match.
--  --> types/operands_differ.fut:1:34-35
--   |
-- 1 | def main (x: i32) (y: f64) = x + y
--   |                                  ^
