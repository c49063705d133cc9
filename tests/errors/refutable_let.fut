def main (x: (i32, bool)) =
  let (n, true) = x
  in n
