type shape = circle f32 | square f32
-- ==>
-- error: Unexpected token: '|'
--  --> forms/sums_and_choices.fut:1:25-26
--   |
-- 1 | type shape = circle f32 | square f32
--   |                         ^ expected the end of the declaration
--   |
--   = help: the constructors of a type begin with '#', as in #circle f32 | #square f32
