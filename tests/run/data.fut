-- Records, sums and matches.
type shape = #circle f64 | #square f64 | #point

def area (s: shape) : f64 =
  match s
  case #circle r -> f64.pi * r * r
  case #square a -> a * a
  case #point -> 0

-- ==
-- entry: areas
-- input { [0,1,2,1] [1.0,2.0,3.0,4.0] } output { [3.141592653589793,4.0,0.0,16.0] }

entry areas [n] (kinds: [n]i32) (xs: [n]f64) =
  let make k x : shape = if k == 0 then #circle x else if k == 1 then #square x else #point
  in map area (map2 make kinds xs)

type state = {pos: (f32, f32), steps: i32}

def step (s: state) : state =
  s with pos.0 = s.pos.0 + 1 with steps = s.steps + 1

-- ==
-- entry: walk
-- input { 4 } output { 4.0f32 0.5f32 4 }

entry walk (n: i32) =
  let s : state = loop s = {pos = (0f32, 0.5f32), steps = 0} for _i < n do step s
  in (s.pos.0, s.pos.1, s.steps)

-- ==
-- entry: equalities
-- input { [1,2] [1,2] } output { true false }
-- input { [1,2] [1,3] } output { false true }

entry equalities (xs: []i32) (ys: []i32) = (xs == ys, xs != ys)
