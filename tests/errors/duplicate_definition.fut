def f (x: i32) = x
def f (x: i32) = x + 1
