module m : {module inner: {val x : i32}} = {def x : i32 = 1}
-- ==>
-- error: Module does not define a module named "inner".
--  --> modules/missing_module.fut:1:12-41
--   |
-- 1 | module m : {module inner: {val x : i32}} = {def x : i32 = 1}
--   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
