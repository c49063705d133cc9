def id 'a (x: 'a) = x
-- ==>
-- error: Unexpected token: '''
--  --> hints/fix_quoted_type.fut:1:15-16
--   |
-- 1 | def id 'a (x: 'a) = x
--   |               ^ expected a type
--   |
--   = help: the quote stands only where a type parameter is introduced
