def a (xs: [4]i32) = unsafe xs[0]
def b (xss: [2][3]i32) = flatten_to 6 xss
def c = zeros 3
def d = range 0 10
def e = ones 3
def f (x: f64) = map (pow x) [1.0, 2.0]
def g (x: f64) = pow x 2
-- ==>
-- error: Unknown name "unsafe".
--  --> hints/older_words.fut:1:22-28
--   |
-- 1 | def a (xs: [4]i32) = unsafe xs[0]
--   |                      ^^^^^^ not in scope
--   |
--   = help: write "#[unsafe] xs[0]"
--
-- error: Unknown name "flatten_to".
--  --> hints/older_words.fut:2:26-36
--   |
-- 2 | def b (xss: [2][3]i32) = flatten_to 6 xss
--   |                          ^^^^^^^^^^ not in scope
--   |
--   = help: the size of a flattened array is written behind it: flatten xss :> [n]i32
--
-- error: Unknown name "zeros".
--  --> hints/older_words.fut:3:9-14
--   |
-- 3 | def c = zeros 3
--   |         ^^^^^ not in scope
--   |
--   = help: an array of equal elements is written replicate n 0
--
-- error: Unknown name "range".
--  --> hints/older_words.fut:4:9-14
--   |
-- 4 | def d = range 0 10
--   |         ^^^^^ not in scope
--   |
--   = help: numbers in order are written iota n, or a..<b
--
-- error: Unknown name "ones".
--  --> hints/older_words.fut:5:9-13
--   |
-- 5 | def e = ones 3
--   |         ^^^^ not in scope
--   |
--   = help: an array of equal elements is written replicate n 1
--
-- error: Unknown name "pow".
--  --> hints/older_words.fut:6:23-26
--   |
-- 6 | def f (x: f64) = map (pow x) [1.0, 2.0]
--   |                       ^^^ not in scope
--   |
--   = help: a power is written x ** y
--
-- error: Unknown name "pow".
--  --> hints/older_words.fut:7:18-21
--   |
-- 7 | def g (x: f64) = pow x 2
--   |                  ^^^ not in scope
--   |
--   = help: write "x ** 2"
