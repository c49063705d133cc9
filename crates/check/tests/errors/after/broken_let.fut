def f [n] (xs: [n]i32) =
  let size = lenght xs + lenght xs
  let ys : [k]i32 = filter (> 0) xs
  let rest = size[1]
  in match size.left case #none -> rest case #some x -> x + k
-- ==>
-- error: Unknown name "lenght".
--  --> after/broken_let.fut:2:14-20
--   |
-- 2 |   let size = lenght xs + lenght xs
--   |              ^^^^^^      ------ and here
--   |              |
--   |              not in scope
--   |
--   = help: there is "length"
--
-- error: Unknown name "k".
--  --> after/broken_let.fut:3:13-14
--   |
-- 3 |   let ys : [k]i32 = filter (> 0) xs
--   |             ^ not in scope
-- 4 |   let rest = size[1]
-- 5 |   in match size.left case #none -> rest case #some x -> x + k
--   |                                                             - and here
--   |
--   = help: a size that only a value tells is bound with it, as in "let [k] (xs: [k]i32) = ..."
