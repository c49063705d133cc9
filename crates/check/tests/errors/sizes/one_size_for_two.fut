type square [n] 't = [n][n]t

def grid : i64 -> square [] i64 = \n -> tabulate_2d n (n + 1) (\i j -> i * j)
-- ==>
-- error: Function body does not have expected type.
--        Expected: i64 -> ?[d].square [d] i64
--        Actual:   (n: i64) -> [n][n + 1]i64
--        Sizes "n" and "n + 1" do not match.
--        When matching return types.
--  --> sizes/one_size_for_two.fut:3:35-78
--   |
-- 3 | def grid : i64 -> square [] i64 = \n -> tabulate_2d n (n + 1) (\i j -> i * j)
--   |                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   |
--   = note: `fehu explain scope-violation` says more
--   = note: type square [n1] 't = [n1][n1]t
