def first3 (xs: [3]i32) = xs[0]

def main (xs: [4]i32) = first3 xs
-- ==>
-- error: Cannot apply "first3" to "xs" (invalid type).
--        Expected: [3]i32
--        Actual:   [4]i32
--        Sizes "3" and "4" do not match.
--  --> sizes/constant_sizes_differ.fut:3:32-34
--   |
-- 3 | def main (xs: [4]i32) = first3 xs
--   |                                ^^
