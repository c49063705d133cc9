type option 'a = #none | #some a

def choose b yes no = if b then yes () else no ()

def upto (n: i64) : []i64 = filter (> 2) (iota n)

entry main (b: bool) (n: i64) : option ([]i64) =
  choose b (\() -> #none) (\() -> #some (upto n))
-- ==>
-- error: Cannot apply "choose" to "\() -> #some (upto n)" (invalid type).
--        Expected: () -> #none | #some []i64
--        Actual:   () -> ?[m].#none | #some [m]i64
--        Causality check: size "m" is needed here, but it is only known when the function has been called.
--        When matching types of constructor "#some".
--        When matching return types.
--  --> sizes/known_when_called.fut:8:27-50
--   |
-- 8 |   choose b (\() -> #none) (\() -> #some (upto n))
--   |                           ^^^^^^^^^^^^^^^^^^^^^^^
--   |
--   = note: `fehu explain causality-check` says more
