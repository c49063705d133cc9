def main (n: i64) =
  let table = replicate n (iota n)
  let row = table[2]
  let table[0] = iota n
  in row
