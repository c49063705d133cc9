def pair (n: i64) : ([]i64, []i64) =
  let xs = iota n
  in (xs, xs)

def main (n: i64) =
  let (a, b) = pair n
  let a[0] = 1
  in b
