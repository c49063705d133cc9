type shape = #circle f32 | #square f32 | #dot

def area (s: shape) : f32 =
  match s
  case #circle r -> 3.14 * r * r
  case #square a -> a * a
