def sign (x: i32) : i32 =
  match x
  case 0 -> 0
  case _ -> 1
  case 5 -> 2
