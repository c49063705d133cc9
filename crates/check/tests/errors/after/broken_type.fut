type pair [n] = {left: [n]i32, right: [k]i32}
type both = (pair [2], unknown)
module type s = { val f : [m]i32 -> [m]i32  type t = [o]i32 }
module m : s = { def f (x: []i32) = x  type t = [3]i32 }

def g (b: both) (x: i32) = match b.1 case #none -> 1
entry main (p: pair [3]) (q: m.t) = (m.f q, p.left)
-- ==>
-- error: Unknown name "k".
--  --> after/broken_type.fut:1:40-41
--   |
-- 1 | type pair [n] = {left: [n]i32, right: [k]i32}
--   |                                        ^ not in scope
--   |
--   = help: declare the size before the first parameter: "pair [k]"
--
-- error: Unknown type "unknown".
--  --> after/broken_type.fut:2:24-31
--   |
-- 2 | type both = (pair [2], unknown)
--   |                        ^^^^^^^
--
-- error: Unknown name "m".
--  --> after/broken_type.fut:3:28-29
--   |
-- 3 | module type s = { val f : [m]i32 -> [m]i32  type t = [o]i32 }
--   |                            ^         - and here
--   |                            |
--   |                            not in scope
--   |
--   = help: declare the size before the first parameter: "f [m]"
--
-- error: Unknown name "o".
--  --> after/broken_type.fut:3:55-56
--   |
-- 3 | module type s = { val f : [m]i32 -> [m]i32  type t = [o]i32 }
--   |                                                       ^ not in scope
--   |
--   = help: declare the size before the first parameter: "t [o]"
