type state = {pos: [3]f32, age: i64}
entry make (n: i64) : state = {pos = [0, 1, f32.i64 n], age = n}
entry step (s: state) : (state, f32) = (s with age = s.age + 1, f32.sum s.pos)
entry pair [n] (xs: [n](i32, bool)) : [n]i32 = map (.0) xs
#[noinline] entry kind (x: #a | #b i8) : i8 = match x case #a -> 0 case #b y -> y
