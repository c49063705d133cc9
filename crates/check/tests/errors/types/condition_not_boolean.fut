def main (x: i32) = if x then 1i32 else 2
-- ==>
-- error: Expression must have type bool.
--        Expected: bool
--        Actual:   i32
--        Types "bool" and "i32" do not match.
--  --> types/condition_not_boolean.fut:1:24-25
--   |
-- 1 | def main (x: i32) = if x then 1i32 else 2
--   |                        ^
