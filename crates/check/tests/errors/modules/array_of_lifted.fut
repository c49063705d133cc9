type^ f = i32 -> i32
type~ v = []i32
type^ a = [3]f
type~ b = [3]v
-- ==>
-- error: Cannot create array with elements of lifted type "f" (might contain function).
--  --> modules/array_of_lifted.fut:3:11-15
--   |
-- 3 | type^ a = [3]f
--   |           ^^^^
--
-- error: Cannot create array with elements of size-lifted type "v" (might cause irregular array).
--  --> modules/array_of_lifted.fut:4:11-15
--   |
-- 4 | type~ b = [3]v
--   |           ^^^^
