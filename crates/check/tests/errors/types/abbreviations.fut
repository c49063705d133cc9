type option = {rate: f64, spot: f64}
type vec [n] 'a = [n]a
module m = {type pair = (i32, bool)}
def price (o: option) : f64 = o
def dot [n] (xs: vec [n] option) : i32 = xs
def swapped (p: m.pair) : (bool, i32) = p
def changed (p: m.pair) : f64 = p with 0 = 2
-- ==>
-- error: Function body does not have expected type.
--        Expected: f64
--        Actual:   option
--        Types "f64" and "option" do not match.
--  --> types/abbreviations.fut:4:31-32
--   |
-- 4 | def price (o: option) : f64 = o
--   |                               ^
--   |
--   = note: type option = {rate: f64, spot: f64}
--
-- error: Function body does not have expected type.
--        Expected: i32
--        Actual:   vec [n] option
--        Types "i32" and "vec [n] option" do not match.
--  --> types/abbreviations.fut:5:42-44
--   |
-- 5 | def dot [n] (xs: vec [n] option) : i32 = xs
--   |                                          ^^
--   |
--   = note: type vec [n1] 'a = [n1]a
--
-- error: Function body does not have expected type.
--        Expected: (bool, i32)
--        Actual:   m.pair
--        Types "bool" and "i32" do not match.
--        When matching types of record field "0".
--  --> types/abbreviations.fut:6:41-42
--   |
-- 6 | def swapped (p: m.pair) : (bool, i32) = p
--   |                                         ^
--   |
--   = note: type m.pair = (i32, bool)
--
-- error: Function body does not have expected type.
--        Expected: f64
--        Actual:   m.pair
--        Types "f64" and "m.pair" do not match.
--  --> types/abbreviations.fut:7:33-45
--   |
-- 7 | def changed (p: m.pair) : f64 = p with 0 = 2
--   |                                 ^^^^^^^^^^^^
--   |
--   = note: type m.pair = (i32, bool)
