def xor (p: {a: bool, b: bool}) : bool =
  match p
  case {a = true, b = false} -> true
  case {a = false, b = true} -> true
