def walk (f: i32 -> i32) (n: i32) : i32 =
  if n == 0 then f 0 else walk (\x -> f x + 1) (n - 1)
