-- Counts how often each number from 0 to k-1 occurs. `hist` is a parallel loop with an operator for
-- elements that land in the same place; numbers outside of the range are left out.
-- ==
-- input { 4i64 [0i64, 1i64, 1i64, 3i64, 9i64, 3i64, 3i64] } output { [1, 2, 0, 3] }
-- input { 2i64 empty([0]i64) } output { [0, 0] }

entry main (k: i64) (numbers: []i64) : [k]i32 =
  hist (+) 0 k numbers (map (const 1) numbers)
