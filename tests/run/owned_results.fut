-- A module type may say that the caller owns a whole tuple, of which the module owns only a part.
module type split = { val split [n] : [n]i64 -> *([n]i64, {rest: [n]i64}) }

module partly : split = {
  def split [n] (xs: [n]i64) : (*[n]i64, {rest: [n]i64}) = (map (+ 1) xs, {rest = xs})
}

module user (S: split) = {
  def run [n] (xs: [n]i64) =
    let (a, b) = S.split xs
    in (a, b.rest with [0] = 7, xs)
}

module used = user { def split [n] (xs: [n]i64) : (*[n]i64, {rest: [n]i64}) = (map (+ 2) xs, {rest = xs}) }

-- ==
-- entry: plain
-- input { [1i64, 2i64] } output { [2i64, 3i64] [7i64, 2i64] [1i64, 2i64] }
entry plain [n] (xs: [n]i64) =
  let (a, b) = partly.split xs
  in (a, b.rest with [0] = 7, xs)

-- ==
-- entry: through_functor
-- input { [1i64, 2i64] } output { [3i64, 4i64] [7i64, 2i64] [1i64, 2i64] }
entry through_functor [n] (xs: [n]i64) = used.run xs
