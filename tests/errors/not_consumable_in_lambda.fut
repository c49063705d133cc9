def main (xs: *[]i32) (is: []i32) =
  map (\i -> let xs[i] = 0 in i) is
