def apply 'a 'b (f: a -> b) (x: a) : b = f x

def eat (xs: *[]i32) : i32 = xs[0]

def main (xs: *[]i32) = apply eat xs
-- ==>
-- error: Cannot apply "apply" to "eat" (invalid type).
--        Expected: []i32 -> i32
--        Actual:   (xs: *[d]i32) -> i32
--        Parameter types "[]i32" and "*[d]i32" are incompatible regarding consuming their arguments.
--  --> consume/consuming_function_argument.fut:5:31-34
--   |
-- 5 | def main (xs: *[]i32) = apply eat xs
--   |                               ^^^
--   |
--   = note: `fehu explain unify-consuming-param` says more
