def name (n: i32) : i32 =
  match n
  case 0 -> 10
  case 1 -> 20
