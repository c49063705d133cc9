def main (x: i32) = [x, true]
