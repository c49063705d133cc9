module type mt = {type t 'a} with t = i32
-- ==>
-- error: Cannot refine a type having type parameters 'a with a type having no type parameters.
--  --> modules/with_params.fut:1:18-42
--   |
-- 1 | module type mt = {type t 'a} with t = i32
--   |                  ^^^^^^^^^^^^^^^^^^^^^^^^
