def unwrap (#some x : #some i32 | #none) : i32 = x
