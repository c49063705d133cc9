def fresh (xs: []i32) : *[]i32 = xs
