def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

def main [n] [m] (xs: [n]f32) (ys: [m]f32) = dot xs ys
