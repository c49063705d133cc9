type t [n] = #none | #some ([n]f32) {a: i64, b: (bool, u8)}
def get [n] (x: t [n]) : f32 = match x case #none -> 0 case #some xs {a, b = (c, _)} -> if c && a < n then xs[a] else f32.nan
entry main [n] (xs: *[n]f32) = get (#some (xs with [::2] = map (+ 1) (copy xs[::2])) {a = 0, b = (true, 3u8)})
