def main (xs: *[]i32) =
  loop sum = 0 for i < 3 do
    let xs[i] = 0
    in sum + 1
