module money : { type t val of_cents : i64 -> t } = {
  type t = i64
  def of_cents (x: i64) = x
}

def main = money.of_cents 5 + 1
-- ==>
-- error: Cannot apply "+" to "money.of_cents 5" (invalid type).
--        Expected: a number
--        Actual:   money.t
--        Type "money.t" is not one of i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, as demanded by the use of "+".
--  --> modules/abstract_type_hidden.fut:6:12-28
--   |
-- 6 | def main = money.of_cents 5 + 1
--   |            ^^^^^^^^^^^^^^^^ - due to the use of "+"
