module m : {type sum [n] [m]} = {
  type sum [n] [m] = [n + m]bool
}
-- ==>
-- error: Type
--          type sum [n] [m] = [n + m]bool
--        cannot be made abstract because size parameter [n] is not used constructively.
--  --> modules/abstract_nonconstructive.fut:1:12-30
--   |
-- 1 | module m : {type sum [n] [m]} = {
--   |            ^^^^^^^^^^^^^^^^^^
--   |
--   = note: a value of the type must show the size, as the size of an array
