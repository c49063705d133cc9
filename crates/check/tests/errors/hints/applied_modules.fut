def a (n: i64) = f64 n
def b (xs: []f32) = map (\x -> i32 x) xs
def c (n: i64) = f64 (n == 2) + 1
def d (xs: []i32) = map f64 xs
-- ==>
-- error: Unknown name "f64".
--  --> hints/applied_modules.fut:1:18-21
--   |
-- 1 | def a (n: i64) = f64 n
--   |                  ^^^
--   |
--   = note: there is a module of this name, but a value is needed here
--   = help: convert with "f64.i64"
--
-- error: Unknown name "i32".
--  --> hints/applied_modules.fut:2:32-35
--   |
-- 2 | def b (xs: []f32) = map (\x -> i32 x) xs
--   |                                ^^^
--   |
--   = note: there is a module of this name, but a value is needed here
--   = help: convert with "i32.f32"
--
-- error: Unknown name "f64".
--  --> hints/applied_modules.fut:3:18-21
--   |
-- 3 | def c (n: i64) = f64 (n == 2) + 1
--   |                  ^^^
--   |
--   = note: there is a module of this name, but a value is needed here
--   = help: convert with "f64.bool"
--
-- error: Unknown name "f64".
--  --> hints/applied_modules.fut:4:25-28
--   |
-- 4 | def d (xs: []i32) = map f64 xs
--   |                         ^^^
--   |
--   = note: there is a module of this name, but a value is needed here
--   = help: convert with "f64.i32"
