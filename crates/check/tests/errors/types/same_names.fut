def f 'a (x: a) = let g 'a (y: a) : a = x in g
type t = #t
module m: {type t val x: t} = {type t = i32 def x = 2i32}
def k : t = m.x
-- ==>
-- error: Function body does not have expected type.
--        Expected: a
--        Actual:   a1
--        Types "a" and "a1" do not match.
--  --> types/same_names.fut:1:41-42
--   |
-- 1 | def f 'a (x: a) = let g 'a (y: a) : a = x in g
--   |                                         ^
--
-- error: Function body does not have expected type.
--        Expected: t
--        Actual:   m.t
--        Types "t" and "m.t" do not match.
--  --> types/same_names.fut:4:13-16
--   |
-- 4 | def k : t = m.x
--   |             ^^^
--   |
--   = note: type t = #t
