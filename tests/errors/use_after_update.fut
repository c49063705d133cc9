def bump (xs: *[]i32) =
  let ys = xs with [0] = 7
  in ys[0] + xs[0]
