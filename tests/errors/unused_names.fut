def main (xs: []i32) (unused: i32) =
  let total = i32.sum xs
  let helper (y: i32) = y + 1
  let (a, b) = (1i32, 2i32)
  in a
