def main (x: bool) = x && 1
