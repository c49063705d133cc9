module money : { type t val of_cents : i64 -> t } = {
  type t = i64
  def of_cents (x: i64) = x
}

def main = money.of_cents 5 + 1
