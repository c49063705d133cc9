def first3 (xs: [3]i32) = xs[0]

def main (xs: [4]i32) = first3 xs
