def main (xs: []i32) =
  let empty = [] : [][]i32
  let full = [filter (> 0) xs]
  in empty[0] == full[0]
