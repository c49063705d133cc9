def a (x: i32) = x /= 3
def b (x: bool) (y: bool) = x and y
def c (x: i32) = i32.to_f32 x
def d (xs: []i32) = mpa (+1) xs
def e (x: f32) = f32.sqr x
-- ==>
-- error: Unknown name "/=".
--  --> hints/other_names.fut:1:20-22
--   |
-- 1 | def a (x: i32) = x /= 3
--   |                    ^^ not in scope
--   |
--   = help: there is "!="
--
-- error: Cannot apply "x" as function, as it has type "bool".
--  --> hints/other_names.fut:2:29-30
--   |
-- 2 | def b (x: bool) (y: bool) = x and y
--   |                             ^
--   |
--   = help: this applies a value; write "x && y"
--
-- error: Unknown name "i32.to_f32".
--  --> hints/other_names.fut:3:18-28
--   |
-- 3 | def c (x: i32) = i32.to_f32 x
--   |                  ^^^^^^^^^^ not in scope
--   |
--   = help: there is "f32.i32"
--
-- error: Unknown name "mpa".
--  --> hints/other_names.fut:4:21-24
--   |
-- 4 | def d (xs: []i32) = mpa (+1) xs
--   |                     ^^^ not in scope
--   |
--   = help: there is "map"
--
-- error: Unknown name "f32.sqr".
--  --> hints/other_names.fut:5:18-25
--   |
-- 5 | def e (x: f32) = f32.sqr x
--   |                  ^^^^^^^ not in scope
--   |
--   = help: there is "f32.sqrt"
