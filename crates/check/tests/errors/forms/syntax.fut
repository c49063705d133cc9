{- twice the argument -}
def f (x: i32): i32 = x + 1

def a (x: i32) = f $ x * 2
def id<t> (x: t): t = x
def const<a, b> (x: a) (_: b) = x
def b = let twice<t> (x: t) = (x, x) in twice 1
def c (xss: [[i32]]) = xss[0, 0]
def d (xs: [f32]): [f32] = xs
def e (x: f32) = .5 * x
def g = 1 + {- one -} 1
-- ==>
-- error: Unexpected token: '{'
--  --> forms/syntax.fut:1:1-2
--   |
-- 1 | {- twice the argument -}
--   | ^ expected a declaration: 'def', 'entry', 'type', 'module', 'open', 'import' or 'local'
--   |
--   = help: comments begin with '--', and end with the line
--
-- error: Unexpected token: '$'
--  --> forms/syntax.fut:4:20-21
--   |
-- 4 | def a (x: i32) = f $ x * 2
--   |                    ^
--   |
--   = help: a function is applied to all that follows by '<|': f <| x * 2
--
-- error: Unexpected token: '>'
--  --> forms/syntax.fut:5:9-10
--   |
-- 5 | def id<t> (x: t): t = x
--   |         ^ expected a parameter, ':' or '='
--   |
--   = help: type parameters have a quote, and no brackets around them: id 't
--
-- error: Unexpected token: ','
--  --> forms/syntax.fut:6:12-13
--   |
-- 6 | def const<a, b> (x: a) (_: b) = x
--   |            ^ expected a parameter, ':' or '='
--   |
--   = help: type parameters have a quote, and no brackets around them: const 'a 'b
--
-- error: Unexpected token: '<'
--  --> forms/syntax.fut:7:18-19
--   |
-- 7 | def b = let twice<t> (x: t) = (x, x) in twice 1
--   |                  ^ expected '=' and the value to bind
--   |
--   = help: type parameters have a quote, and no brackets around them: twice 't
--
-- error: Unexpected token: ')'
--  --> forms/syntax.fut:8:20-21
--   |
-- 8 | def c (xss: [[i32]]) = xss[0, 0]
--   |                    ^ expected the type of the elements
--   |
--   = help: the brackets of an array stand before the type of its elements: [][]i32
--
-- error: Unexpected token: ')'
--  --> forms/syntax.fut:9:17-18
--   |
-- 9 | def d (xs: [f32]): [f32] = xs
--   |                 ^ expected the type of the elements
--   |
--   = help: the brackets of an array stand before the type of its elements: []f32
--
-- error: Unexpected token: '.'
--   --> forms/syntax.fut:10:18-19
--    |
-- 10 | def e (x: f32) = .5 * x
--    |                  ^ expected an expression
--    |
--    = help: a number begins with a digit: 0.5
--
-- error: Unexpected token: '-'
--   --> forms/syntax.fut:11:14-15
--    |
-- 11 | def g = 1 + {- one -} 1
--    |              ^ expected a field name
--    |
--    = help: comments begin with '--', and end with the line
