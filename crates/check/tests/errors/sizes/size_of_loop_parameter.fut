def shift [k] (steps: i64) (xs: [k]i32) =
  loop ys = xs for _i < steps do
    map2 (+) (map i32.i64 (iota (length ys))) (rotate 1 ys)
