module f (X: { val f : (a: i64) -> (b: i64) -> [a - b]i32 }) = {}
module i = f { def f (a: i64) (b: i64) : [a + b]i32 = replicate (a + b) 1i32 }
-- ==>
-- error: Value "f" is not as the module type says. Module type specifies
--          val f : (a: i64) -> (b: i64) -> [a - b]i32
--        but module provides
--          val f : (a: i64) -> (b: i64) -> [a + b]i32
--        Sizes "a - b" and "a + b" do not match.
--  --> modules/size_operators_of_argument.fut:2:14-79
--   |
-- 1 | module f (X: { val f : (a: i64) -> (b: i64) -> [a - b]i32 }) = {}
--   |          --------------------------------------------------- the parameter that it must suit
-- 2 | module i = f { def f (a: i64) (b: i64) : [a + b]i32 = replicate (a + b) 1i32 }
--   |              ^^^^^^-^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   |                    |
--   |                    provided here
