-- The same types, written and inferred.
entry written (r: {x: i32, y: i32}) = r.x + r.y

entry by_parts {x = x: i32, y = y: i32} = x + y

entry sum_written (s: #a i32 | #b) : #a i32 | #b = s

entry sum_inferred (s: #a i32 | #b) = s

entry sums_written (s: [](#a i32 | #b)) : [](#a i32 | #b) = s

entry sums_inferred (s: [](#a i32 | #b)) = s
