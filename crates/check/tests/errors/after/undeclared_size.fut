def f (xs: [n]f32) (ys: [n]f32) = map2 (+) xs ys

entry main (a: []f32) (b: []f32): []f32 = f a b
-- ==>
-- error: Unknown name "n".
--  --> after/undeclared_size.fut:1:13-14
--   |
-- 1 | def f (xs: [n]f32) (ys: [n]f32) = map2 (+) xs ys
--   |             ^            - and here
--   |             |
--   |             not in scope
--   |
--   = help: declare the size before the first parameter: "f [n]"
