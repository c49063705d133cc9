def put (xs: *[]i64) (i: i64) : i64 = xs[i]

def main (xs: *[]i64) (is: []i64) = map (put xs) is
