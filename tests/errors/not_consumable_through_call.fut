def same (xs: []i32) : []i32 = xs

def main (input: []i32) =
  let ys = same input
  in ys with [0] = 1
