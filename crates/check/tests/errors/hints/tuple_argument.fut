def add (x: i32) (y: i32) = x + y
def g (x: i32) = add(x, 2)
def h (x: i32) = add x (x * 2, 3)
-- ==>
-- error: Cannot apply "add" to "(x, 2)" (invalid type).
--        Expected: i32
--        Actual:   (i32, number)
--        Types "i32" and "(i32, number)" do not match.
--  --> hints/tuple_argument.fut:2:21-27
--   |
-- 2 | def g (x: i32) = add(x, 2)
--   |                     ^^^^^^
--   |
--   = help: arguments are separated by spaces: "add x 2"
--
-- error: Cannot apply "add" to "(x * 2, 3)" (invalid type).
--        Expected: i32
--        Actual:   (i32, number)
--        Types "i32" and "(i32, number)" do not match.
--  --> hints/tuple_argument.fut:3:24-34
--   |
-- 3 | def h (x: i32) = add x (x * 2, 3)
--   |                        ^^^^^^^^^^
--   |
--   = help: arguments are separated by spaces: "add x (x * 2) 3"
