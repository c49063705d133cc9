def eat (p: *([]i64, []i64)) : i64 = p.0[0] + p.1[0]

def main (n: i64) =
  let xs = iota n
  in eat (xs, xs)
