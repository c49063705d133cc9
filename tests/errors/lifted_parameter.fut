def const 'a 'b (x: a) (_: b) = x

def main (x: i32) = const (\y -> y + x) 1i32
