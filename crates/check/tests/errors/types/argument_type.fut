def half (x: f32) : f32 = x / 2

def main (b: bool) = half b
-- ==>
-- error: Cannot apply "half" to "b" (invalid type).
--        Expected: f32
--        Actual:   bool
--        Types "f32" and "bool" do not match.
--  --> types/argument_type.fut:3:27-28
--   |
-- 3 | def main (b: bool) = half b
--   |                           ^
