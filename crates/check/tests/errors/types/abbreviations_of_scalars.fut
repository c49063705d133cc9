type real = f64
type rate = real
type option = {spot: real, rate: rate}

def price (o: option) (n: i64) : real = o.spot * n
def flag (r: rate) : bool = r
def computed (r: rate) : bool = r * r
-- ==>
-- error: Cannot apply "*" to "n" (invalid type).
--        Expected: f64
--        Actual:   i64
--        Types "f64" and "i64" do not match.
--  --> types/abbreviations_of_scalars.fut:5:50-51
--   |
-- 5 | def price (o: option) (n: i64) : real = o.spot * n
--   |                                                  ^
--   |
--   = help: convert with "f64.i64 n"
--
-- error: Function body does not have expected type.
--        Expected: bool
--        Actual:   f64
--        Types "bool" and "f64" do not match.
--  --> types/abbreviations_of_scalars.fut:6:29-30
--   |
-- 6 | def flag (r: rate) : bool = r
--   |                             ^
--
-- error: Function body does not have expected type.
--        Expected: bool
--        Actual:   f64
--        Types "bool" and "f64" do not match.
--  --> types/abbreviations_of_scalars.fut:7:33-38
--   |
-- 7 | def computed (r: rate) : bool = r * r
--   |                                 ^^^^^
