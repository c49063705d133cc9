def main (xs: *[]i32) =
  loop ys: []i32 = xs for i < 4 do ys with [i] = 2
