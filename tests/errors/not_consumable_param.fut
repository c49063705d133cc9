def set_first (xs: []i32) (v: i32) = xs with [0] = v
