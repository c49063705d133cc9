def main (c: bool) (x: i32) = (if c then \y -> y + x else \y -> y - x) 2
