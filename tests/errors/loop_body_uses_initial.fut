def main [n] (xs: *[n]i32) =
  let backup = xs
  in loop xs for i < n do xs with [i] = backup[i] + 1
