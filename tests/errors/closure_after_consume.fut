def main (xs: *[]i32) =
  let at = \i -> xs[i]
  let xs[0] = 3
  in at 2
