-- What comes from outside through the C API: booleans of any bits, and sums whose constructors share a size.

-- The check of `xs[i64.bool b]` fails only for a boolean that is neither 0 nor 1.
entry pick [n] (bs: [n]bool) (xs: [2]i32): [n]i32 = map (\b -> xs[i64.bool b]) bs

type~ flags = {flags: []bool, tag: i32}

entry make (n: i64): flags = {flags = replicate n true, tag = 7}

type shape [n] = #points ([n]i32) | #weights ([n][2]f32) | #none

entry count [n] (x: shape [n]): i64 =
  match x
  case #points xs -> i64.i32 (i32.sum xs)
  case #weights ws -> i64.f32 (f32.sum (flatten ws))
  case #none -> n

type pair [n] [m] = #left ([n]i64) | #right ([m]i64)

-- The first says nothing about the two sizes, the second that they are the same.
entry any [n] [m] (x: pair [n] [m]): i64 = match x case #left xs -> i64.sum xs case #right ys -> i64.sum ys + m
entry same [n] (x: pair [n] [n]): i64 = match x case #left xs -> i64.sum xs case #right ys -> i64.sum ys + n
