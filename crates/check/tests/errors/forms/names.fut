def a (x: f32) = sqrt x
def b (xs: []i64) = sum xs
def c (x: u8) (y: u8) = max x y
def d (xs: []f64) = reduce max 0 xs
def e (p: (i32, f32)) = fst p
def f (p: (i32, f32)) (g: i32 -> (i32, f32)) = (snd p, snd (g 2))
def g (x: i32) = pow (x + 1) 2
def h (x: f32) = int x
def i (xs: []f32) = map float xs
def j (x: i32) (y: i32) = mod x y
def k (x: i32) = some_function x (unknown x)
-- ==>
-- error: Unknown name "sqrt".
--  --> forms/names.fut:1:18-22
--   |
-- 1 | def a (x: f32) = sqrt x
--   |                  ^^^^ not in scope
--   |
--   = help: there is "f32.sqrt"
--
-- error: Unknown name "sum".
--  --> forms/names.fut:2:21-24
--   |
-- 2 | def b (xs: []i64) = sum xs
--   |                     ^^^ not in scope
--   |
--   = help: there is "i64.sum"
--
-- error: Unknown name "max".
--  --> forms/names.fut:3:25-28
--   |
-- 3 | def c (x: u8) (y: u8) = max x y
--   |                         ^^^ not in scope
--   |
--   = help: there is "u8.max"
--
-- error: Unknown name "max".
--  --> forms/names.fut:4:28-31
--   |
-- 4 | def d (xs: []f64) = reduce max 0 xs
--   |                            ^^^ not in scope
--   |
--   = help: there is "i32.max" and "f32.max"
--
-- error: Unknown name "fst".
--  --> forms/names.fut:5:25-28
--   |
-- 5 | def e (p: (i32, f32)) = fst p
--   |                         ^^^ not in scope
--   |
--   = help: write "p.0"
--
-- error: Unknown name "snd".
--  --> forms/names.fut:6:49-52
--   |
-- 6 | def f (p: (i32, f32)) (g: i32 -> (i32, f32)) = (snd p, snd (g 2))
--   |                                                 ^^^    --- and here
--   |                                                 |
--   |                                                 not in scope
--   |
--   = help: write "p.1"
--
-- error: Unknown name "pow".
--  --> forms/names.fut:7:18-21
--   |
-- 7 | def g (x: i32) = pow (x + 1) 2
--   |                  ^^^ not in scope
--   |
--   = help: write "(x + 1) ** 2"
--
-- error: Unknown name "int".
--  --> forms/names.fut:8:18-21
--   |
-- 8 | def h (x: f32) = int x
--   |                  ^^^ not in scope
--   |
--   = help: there is "i32.f32"
--
-- error: Unknown name "float".
--  --> forms/names.fut:9:25-30
--   |
-- 9 | def i (xs: []f32) = map float xs
--   |                         ^^^^^ not in scope
--
-- error: Unknown name "mod".
--   --> forms/names.fut:10:27-30
--    |
-- 10 | def j (x: i32) (y: i32) = mod x y
--    |                           ^^^ not in scope
--    |
--    = help: write "x % y"
--
-- error: Unknown name "unknown".
--   --> forms/names.fut:11:35-42
--    |
-- 11 | def k (x: i32) = some_function x (unknown x)
--    |                                   ^^^^^^^ not in scope
--
-- error: Unknown name "some_function".
--   --> forms/names.fut:11:18-31
--    |
-- 11 | def k (x: i32) = some_function x (unknown x)
--    |                  ^^^^^^^^^^^^^ not in scope
