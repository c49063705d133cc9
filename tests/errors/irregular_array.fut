def main (n: i64) = map (\i -> iota i) (iota n)
