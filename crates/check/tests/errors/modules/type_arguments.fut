type vec [n] 'a = [n]a
type a = vec [3]
type b = vec i32 [3]
type c = i32 bool
type d 'a 'a = a
-- ==>
-- error: Type constructor "vec" requires 2 arguments, but provided 1.
--  --> modules/type_arguments.fut:2:10-17
--   |
-- 1 | type vec [n] 'a = [n]a
--   |      --- declared here
-- 2 | type a = vec [3]
--   |          ^^^^^^^
--
-- error: Type argument i32 not valid for a type parameter [n].
--  --> modules/type_arguments.fut:3:10-21
--   |
-- 3 | type b = vec i32 [3]
--   |          ^^^^^^^^^^^
--
-- error: Type constructor "i32" requires 0 arguments, but provided 1.
--  --> modules/type_arguments.fut:4:10-18
--   |
-- 4 | type c = i32 bool
--   |          ^^^^^^^^
--
-- error: Parameter "a" was previously bound.
--  --> modules/type_arguments.fut:5:12-13
--   |
-- 5 | type d 'a 'a = a
--   |         -  ^ also bound here
--   |         |
--   |         first bound here
