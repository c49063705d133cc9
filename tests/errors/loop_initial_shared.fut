def main (xs: *[]i32) =
  loop (a, b) = (xs, xs) for i < 3 do (a with [i] = 2, b)
