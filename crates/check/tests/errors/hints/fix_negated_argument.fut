def g (f: bool -> bool) (x: bool) = f !x
-- ==>
-- error: '!' is a prefix operator: it cannot be used as infix operator.
--  --> hints/fix_negated_argument.fut:1:39-40
--   |
-- 1 | def g (f: bool -> bool) (x: bool) = f !x
--   |                                       ^
--   |
--   = help: to negate an argument, put it in parentheses: f (!x)
