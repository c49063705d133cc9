data shape = Circle f32 | Square f32
def area (x: f32) = x * x
-- ==>
-- error: Unexpected token: 'data'
--  --> forms/other_type_definitions.fut:1:1-5
--   |
-- 1 | data shape = Circle f32 | Square f32
--   | ^^^^ expected a declaration: 'def', 'entry', 'type', 'module', 'open', 'import' or 'local'
--   |
--   = help: a type of alternatives is defined with 'type', as in type shape = #circle f32 | #square f32
