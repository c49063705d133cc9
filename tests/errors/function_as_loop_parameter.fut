def main (x: i32) =
  (loop f = (\y -> y + x) for _i < 3 do \y -> f y + 1) 2
