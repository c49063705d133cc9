def main (x: i32) = [\y -> y + x, \y -> y - x]
