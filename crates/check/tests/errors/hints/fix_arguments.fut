def add (x: i32) (y: i32) (z: i32) = x + y + z
def a = add(1, 2 + 3, 4)
def b = add 1 (2, i32.abs 3)
-- ==>
-- error: Cannot apply "add" to "(1, 2 + 3, 4)" (invalid type).
--        Expected: i32
--        Actual:   (number, number, number)
--        Types "i32" and "(number, number, number)" do not match.
--  --> hints/fix_arguments.fut:2:12-25
--   |
-- 2 | def a = add(1, 2 + 3, 4)
--   |            ^^^^^^^^^^^^^
--   |
--   = help: arguments are separated by spaces: "add 1 (2 + 3) 4"
--
-- error: Cannot apply "add" to "(2, i32.abs 3)" (invalid type).
--        Expected: i32
--        Actual:   (number, i32)
--        Types "i32" and "(number, i32)" do not match.
--  --> hints/fix_arguments.fut:3:15-29
--   |
-- 3 | def b = add 1 (2, i32.abs 3)
--   |               ^^^^^^^^^^^^^^
--   |
--   = help: arguments are separated by spaces: "add 1 2 (i32.abs 3)"
