type shape = #circle f32 | #square f32
def area (s: shape) = match s case circle r -> r * r case #square a -> a * a
-- ==>
-- error: Unexpected token: 'r'
--  --> forms/case_without_mark.fut:2:43-44
--   |
-- 2 | def area (s: shape) = match s case circle r -> r * r case #square a -> a * a
--   |                                           ^ expected '->' and the result of this case
--   |
--   = help: constructors begin with '#': #circle
