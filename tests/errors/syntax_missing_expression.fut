def f (x: i32) =

def g (x: i32) = x + 1
