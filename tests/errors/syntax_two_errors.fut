def f (x: i32) = x + * 2
def g (x i32) = x
def h (x: i32) = x
