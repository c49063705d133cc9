def clear (xs: *[]f32) : *[]f32 = xs with [0] = 0

def both (xs: *[]f32) =
  let ys = clear xs
  in (ys, length xs)
