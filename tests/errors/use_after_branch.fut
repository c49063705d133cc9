def main (early: bool) (xs: *[]i32) =
  let ys = if early then xs with [0] = 1 else [1, 2]
  in ys[0] + xs[0]
