def put (xs: *[]i32) (i: i32) : *[]i32 = xs with [i] = 0

def main (xs: *[]i32) =
  let f = put xs
  in f 2
