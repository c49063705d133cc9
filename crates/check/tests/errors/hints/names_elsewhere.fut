-- What is written in another way, or is in a package.
def average (xs: []f64) = mean xs
def scalar_product (xs: []f64) (ys: []f64) = dot xs ys
def ordered (xs: []f64) = sort xs
def chance = random 1
def shaped (xs: [6]i32) = reshape xs
def joined (xs: []i32) = concat_to 3 xs xs
def streamed (xs: []i32) = map_stream (\ys -> ys) xs
def folded (xs: []i32) = reduce_stream (+) (\ys -> i32.sum ys) xs
-- ==>
-- error: Unknown name "mean".
--  --> hints/names_elsewhere.fut:2:27-31
--   |
-- 2 | def average (xs: []f64) = mean xs
--   |                           ^^^^ not in scope
--   |
--   = help: a mean is written f64.sum xs / f64.i64 (length xs)
--
-- error: Unknown name "dot".
--  --> hints/names_elsewhere.fut:3:46-49
--   |
-- 3 | def scalar_product (xs: []f64) (ys: []f64) = dot xs ys
--   |                                              ^^^ not in scope
--   |
--   = help: a sum of products is written f64.sum (map2 (*) xs ys)
--
-- error: Unknown name "sort".
--  --> hints/names_elsewhere.fut:4:27-31
--   |
-- 4 | def ordered (xs: []f64) = sort xs
--   |                           ^^^^ not in scope
--   |
--   = help: sorting is in a package: `fehu pkg add github.com/diku-dk/sorts`, and import its radix_sort or merge_sort
--
-- error: Unknown name "random".
--  --> hints/names_elsewhere.fut:5:14-20
--   |
-- 5 | def chance = random 1
--   |              ^^^^^^ not in scope
--   |
--   = help: random numbers are in a package: `fehu pkg add github.com/diku-dk/cpprandom`, and import its random
--
-- error: Unknown name "reshape".
--  --> hints/names_elsewhere.fut:6:27-34
--   |
-- 6 | def shaped (xs: [6]i32) = reshape xs
--   |                           ^^^^^^^ not in scope
--   |
--   = help: an array is flattened by flatten, and unflatten gives it rows: unflatten (xs :> [2 * 3]i32)
--
-- error: Unknown name "concat_to".
--  --> hints/names_elsewhere.fut:7:26-35
--   |
-- 7 | def joined (xs: []i32) = concat_to 3 xs xs
--   |                          ^^^^^^^^^ not in scope
--   |
--   = help: the size of a concatenation is written behind it: xs ++ ys :> [n]i32
--
-- error: Unknown name "map_stream".
--  --> hints/names_elsewhere.fut:8:28-38
--   |
-- 8 | def streamed (xs: []i32) = map_stream (\ys -> ys) xs
--   |                            ^^^^^^^^^^ not in scope
--   |
--   = help: write map: the compiler chooses how much each thread does
--
-- error: Unknown name "reduce_stream".
--  --> hints/names_elsewhere.fut:9:26-39
--   |
-- 9 | def folded (xs: []i32) = reduce_stream (+) (\ys -> i32.sum ys) xs
--   |                          ^^^^^^^^^^^^^ not in scope
--   |
--   = help: write reduce: the compiler chooses how much each thread does
