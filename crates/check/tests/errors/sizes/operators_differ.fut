-- Operators that differ make sizes that differ; so do functions of several types.
def product (a: i64) (b: i64) : [a + b]i32 = replicate (a * b) 1

def first 'a (_: a) (n: i64) : i64 = n
def second 'a (_: a) (n: i64) : i64 = n + 1

def polymorphic (n: i64) : [first true n]i32 = replicate (second true n) 1

def partial (n: i64) : [(n + n) * 2]i32 = replicate ((n - n) * 2) 1
-- ==>
-- error: Function body does not have expected type.
--        Expected: [a + b]i32
--        Actual:   [a * b]i32
--        Sizes "a + b" and "a * b" do not match.
--  --> sizes/operators_differ.fut:2:46-65
--   |
-- 2 | def product (a: i64) (b: i64) : [a + b]i32 = replicate (a * b) 1
--   |                                              ^^^^^^^^^^^^^^^^^^^
--
-- error: Function body does not have expected type.
--        Expected: [first true n]i32
--        Actual:   [second true n]i32
--        Sizes "first true n" and "second true n" do not match.
--  --> sizes/operators_differ.fut:7:48-75
--   |
-- 7 | def polymorphic (n: i64) : [first true n]i32 = replicate (second true n) 1
--   |                                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^
--
-- error: Function body does not have expected type.
--        Expected: [(n + n) * 2]i32
--        Actual:   [(n - n) * 2]i32
--        Sizes "(n + n) * 2" and "(n - n) * 2" do not match.
--  --> sizes/operators_differ.fut:9:43-68
--   |
-- 9 | def partial (n: i64) : [(n + n) * 2]i32 = replicate ((n - n) * 2) 1
--   |                                           ^^^^^^^^^^^^^^^^^^^^^^^^^
