def f (x: i32) = case x of 1 -> 2
-- ==>
-- error: Unexpected token: 'case'
--  --> hints/no_case_of.fut:1:18-22
--   |
-- 1 | def f (x: i32) = case x of 1 -> 2
--   |                  ^^^^ expected an expression
--   |
--   = help: choose with 'match': match x case 1 -> 2 case _ -> 3
