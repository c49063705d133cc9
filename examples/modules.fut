-- Records, sum types and modules: summary statistics, written once for every kind of number.
-- ==
-- entry: of_floats
-- input { [1.0, 2.0, 3.0, 4.0] } output { 2.5 1.25 }

-- ==
-- entry: of_singles
-- input { [2.0f32, 4.0f32] } output { 3.0f32 1.0f32 }

-- ==
-- entry: area
-- input { 0 2.0 3.0 } output { 6.0 }
-- input { 1 2.0 0.0 } output { 12.566370614359172 }
-- input { 2 2.0 3.0 } output { 0.0 }

-- What a module of statistics offers, whatever its numbers are.
module type statistics = {
  type number
  val mean [n] : [n]number -> number
  val variance [n] : [n]number -> number
}

-- A module that is made from a module.
module mk_statistics (R: real) : statistics with number = R.t = {
  type number = R.t

  def mean [n] (xs: [n]R.t) : R.t = R.(sum xs / i64 n)

  def variance [n] (xs: [n]R.t) : R.t =
    let centre = mean xs
    in mean (map (\x -> R.((x - centre) * (x - centre))) xs)
}

module floats = mk_statistics f64
module singles = mk_statistics f32

entry of_floats [n] (xs: [n]f64) = (floats.mean xs, floats.variance xs)
entry of_singles [n] (xs: [n]f32) = (singles.mean xs, singles.variance xs)

-- A value that is one of several kinds, each with its own fields.
type shape = #rectangle {width: f64, height: f64} | #circle f64 | #nothing

def shape_area (s: shape) : f64 =
  match s
  case #rectangle r -> r.width * r.height
  case #circle radius -> f64.pi * radius * radius
  case #nothing -> 0

entry area (kind: i32) (a: f64) (b: f64) : f64 =
  let shape: shape =
    if kind == 0 then #rectangle {width = a, height = b}
    else if kind == 1 then #circle a
    else #nothing
  in shape_area shape
