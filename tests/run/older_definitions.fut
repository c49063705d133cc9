-- Before Futhark 0.27, a definition saw an older one of its name, not itself. Such programs mean what they did; a recursive call that fits is one.

module pair = {
  type t = (i64, i64)
  def (+) (a: t) (b: t) : t = (a.0 + b.0, a.1 + b.1)
}

def scale (k: i64) (x: i64) : i64 = k * x

module rows = {
  def scale [n] (k: i64) (xs: [n]i64) : [n]i64 = map (scale k) xs
}

def factorial (n: i64) : i64 = if n <= 1 then 1 else n * factorial (n - 1)

-- A definition may also have the name of a module that it uses.
module halves = {
  def i64 (x: f32) : i64 = i64.f32 (f32.round (x / 2))
}

-- ==
-- input { [1i64, 2i64, 3i64] } output { [3i64, 6i64, 9i64] 6i64 14i64 6i64 4i64 }
entry main [n] (xs: [n]i64) =
  let (a, b) = reduce (pair.+) (0, 0) (map (\x -> (x, x * x)) xs)
  in (rows.scale 3 xs, a, b, factorial n, halves.i64 8.2)
