def main (x: i23) = x
