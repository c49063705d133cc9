type box = #full ([2]i32) | #empty

def open_box (b: *box) : [2]i32 =
  match b
  case #full xs -> xs with [0] = 1
  case #empty -> [0, 0]

def main (b: *box) =
  let x = open_box b
  let y = open_box b
  in x[0] + y[0]
