struct point {x: f32, y: f32}
def main (x: i32): i32 {
  x + 1
}
def twice (xs: []i32) = map (fun x -> x * 2) xs
def plus (xs: []i32) (ys: []i32) = map2 (x y -> x + y) xs ys
def named (x: i32) =
  var y = x
  y + 1
-- ==>
-- error: Unexpected token: 'struct'
--  --> forms/other_syntax.fut:1:1-7
--   |
-- 1 | struct point {x: f32, y: f32}
--   | ^^^^^^ expected a declaration: 'def', 'entry', 'type', 'module', 'open', 'import' or 'local'
--   |
--   = help: a type is defined with 'type', as in type point = {x: f32, y: f32}
--
-- error: Unexpected token: '+'
--  --> forms/other_syntax.fut:3:5-6
--   |
-- 3 |   x + 1
--   |     ^ expected ':' and the type of the field
--   |
--   = help: the body of a function stands behind '=', without braces
--
-- error: Unexpected token: '->'
--  --> forms/other_syntax.fut:5:36-38
--   |
-- 5 | def twice (xs: []i32) = map (fun x -> x * 2) xs
--   |                                    ^^ expected ')'
--   |
--   = help: a function is written \x -> x + 1
--
-- error: Unexpected token: '->'
--  --> forms/other_syntax.fut:6:46-48
--   |
-- 6 | def plus (xs: []i32) (ys: []i32) = map2 (x y -> x + y) xs ys
--   |                                              ^^ expected ')'
--   |
--   = help: a function is written \x -> x + 1
--
-- error: Unexpected token: '='
--  --> forms/other_syntax.fut:8:9-10
--   |
-- 8 |   var y = x
--   |         ^ expected the end of the declaration
--   |
--   = help: a name is given to a value by 'let': let y = ...
