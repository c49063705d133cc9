def eat (xs: *[]i64) : i64 = xs[0]

def f (ns: *[]i64) (xs: [eat ns]i32) = xs[0]
