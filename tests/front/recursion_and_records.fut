-- Recursion, record updates and tuples.

def gcd (a: i64) (b: i64) : i64 =
  if b == 0 then a else gcd b (a % b)

def power (x: f64) (k: i32) : f64 =
  if k == 0
  then 1
  else if k % 2 == 0
  then power (x * x) (k / 2)
  else x * power x (k - 1)

type particle = {pos: (f32, f32), vel: (f32, f32), mass: f32}

def move (dt: f32) (p: particle) : particle =
  let (x, y) = p.pos
  let (vx, vy) = p.vel
  in p with pos = (x + dt * vx, y + dt * vy)

def heavier (p: particle) : particle =
  let p.mass = p.mass * 2
  in p

def simulate [n] (steps: i32) (ps: [n]particle) : [n]particle =
  loop ps for _i < steps do map (move 0.1 >-> heavier) ps

def total_mass (ps: []particle) = ps |> map (.mass) |> reduce (+) 0

entry main (k: i32) =
  total_mass (simulate k [{pos = (0, 0), vel = (1, 2), mass = 3}]) + f32.i64 (gcd 12 18)
