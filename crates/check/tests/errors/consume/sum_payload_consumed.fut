type box = #full ([2]i32) | #empty

def open_box (b: *box) : [2]i32 =
  match b
  case #full xs -> xs with [0] = 1
  case #empty -> [0, 0]

def main (b: *box) =
  let x = open_box b
  let y = open_box b
  in x[0] + y[0]
-- ==>
-- error: Using variable "b", but this was consumed before.
--   --> consume/sum_payload_consumed.fut:10:20-21
--    |
--  9 |   let x = open_box b
--    |                    - consumed here
-- 10 |   let y = open_box b
--    |                    ^ used here
--    |
--    = note: `fehu explain use-after-consume` says more
--    = help: consume a copy instead, made with `copy`, to keep the original usable
