def inc (x: i32) : i32 = x + 1

def main (x: i32) = inc x 2
