def apply 'a 'b (f: a -> b) (x: a) : b = f x

def eat (xs: *[]i32) : i32 = xs[0]

def main (xs: *[]i32) = apply eat xs
