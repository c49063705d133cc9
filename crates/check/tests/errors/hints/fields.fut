def a (p: {alpha: f32, beta: f32}) = p.alhpa
def b (p: {alpha: f32, beta: f32}) = p.gamma
def c (t: (i32, bool)) = t.2
-- ==>
-- error: Attempt to access field "alhpa" of value of type "{alpha: f32, beta: f32}".
--  --> hints/fields.fut:1:40-45
--   |
-- 1 | def a (p: {alpha: f32, beta: f32}) = p.alhpa
--   |                                        ^^^^^ no such field
--   |
--   = help: there is "alpha"
--
-- error: Attempt to access field "gamma" of value of type "{alpha: f32, beta: f32}".
--  --> hints/fields.fut:2:40-45
--   |
-- 2 | def b (p: {alpha: f32, beta: f32}) = p.gamma
--   |                                        ^^^^^ no such field
--   |
--   = help: its fields are alpha, beta
--
-- error: Attempt to access field "2" of value of type "(i32, bool)".
--  --> hints/fields.fut:3:28-29
--   |
-- 3 | def c (t: (i32, bool)) = t.2
--   |                            ^ no such field
--   |
--   = help: the components of a tuple are its fields 0, 1
