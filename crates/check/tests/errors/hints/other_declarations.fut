fun f x = x
def g (x: i32) -> i32 = x
def h (x: i32) = match x case 1 -> 2 case _ => 3
def i = \x. x
def j = {x: 1}
def k = [x for x in [1]]
def l (x: i32) = x > 0 ? 1 : 2
import lib
def m = 1.5f
def n (x: i32) = let y = x; y
-- ==>
-- error: Unexpected token: 'fun'
--  --> hints/other_declarations.fut:1:1-4
--   |
-- 1 | fun f x = x
--   | ^^^ expected a declaration: 'def', 'entry', 'type', 'module', 'open', 'import' or 'local'
--   |
--   = help: functions and constants are defined with 'def'
--
-- error: Unexpected token: '->'
--  --> hints/other_declarations.fut:2:16-18
--   |
-- 2 | def g (x: i32) -> i32 = x
--   |                ^^ expected a parameter, ':' or '='
--   |
--   = help: the result type stands behind ':'
--
-- error: Unexpected token: '=>'
--  --> hints/other_declarations.fut:3:45-47
--   |
-- 3 | def h (x: i32) = match x case 1 -> 2 case _ => 3
--   |                                             ^^ expected '->' and the result of this case
--   |
--   = help: this is written '->'
--
-- error: Unexpected token: '.'
--  --> hints/other_declarations.fut:4:11-12
--   |
-- 4 | def i = \x. x
--   |           ^ expected a parameter or '->'
--   |
--   = help: a function is written \x -> x + 1
--
-- error: Unexpected token: ':'
--  --> hints/other_declarations.fut:5:11-12
--   |
-- 5 | def j = {x: 1}
--   |           ^ expected '}'
--   |
--   = help: a field gets its value by '='
--
-- error: Unexpected token: 'for'
--  --> hints/other_declarations.fut:6:12-15
--   |
-- 6 | def k = [x for x in [1]]
--   |            ^^^ expected ']'
--   |
--   = help: arrays are computed from others by functions, as in map (\x -> x * 2) xs
--
-- error: Unexpected token: '?'
--  --> hints/other_declarations.fut:7:24-25
--   |
-- 7 | def l (x: i32) = x > 0 ? 1 : 2
--   |                        ^ expected the end of the declaration
--   |
--   = help: choose with 'if': if x > 0 then 1 else 2
--
-- error: Unexpected token: 'lib'
--  --> hints/other_declarations.fut:8:8-11
--   |
-- 8 | import lib
--   |        ^^^ expected the path of a file as a string
--   |
--   = help: the path stands in quotes
--
-- error: Invalid number literal '1.5f'.
--  --> hints/other_declarations.fut:9:9-13
--   |
-- 9 | def m = 1.5f
--   |         ^^^^
--   |
--   = help: a suffix must be one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, and fit the number
--
-- error: Unexpected token: ';'
--   --> hints/other_declarations.fut:10:27-28
--    |
-- 10 | def n (x: i32) = let y = x; y
--    |                           ^
--    |
--    = help: there is no ';': a 'let' ends with 'in', and fields are separated by ','
