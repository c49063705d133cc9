type opt = #some i32 | #none

def add (a: opt) (b: opt) : i32 =
  match (a, b)
  case (#some x, #some y) -> x + y
  case (#none, _) -> 0
