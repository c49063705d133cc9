def main (p: {x: f32, y: f32}) = p.z
-- ==>
-- error: Attempt to access field "z" of value of type "{x: f32, y: f32}".
--  --> types/unknown_field.fut:1:36-37
--   |
-- 1 | def main (p: {x: f32, y: f32}) = p.z
--   |                                    ^ no such field
--   |
--   = help: its fields are x, y
