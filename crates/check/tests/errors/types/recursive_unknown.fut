def f x = f (x - 1i32)
