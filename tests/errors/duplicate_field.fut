def main (x: i32) = {a = x, a = 2i32}
