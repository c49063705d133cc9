def take_first (xs: *[]i64) : i64 = xs[0]

def main (xs: *[]i64) = take_first xs + xs[1]
