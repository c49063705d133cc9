-- Gravity between all pairs of bodies, softened, with an explicit step: velocity first, then place.
--
-- Parallelism: bodies x a reduction over bodies. Compute-bound: many bodies want the outer level alone, with the
-- inner arrays tiled; few bodies want the reduction in parallel as well.
-- ==
-- "tiny" input { 1 0.5f32 [0f32, 1f32] [0f32, 0f32] [0f32, 0f32] [1f32, 2f32] [0f32, 0f32] [1f32, 0f32] [0f32, 0f32] }
-- output { [0.492593f32, 0.753704f32] [0.5f32, 0f32] [0f32, 0f32] }
-- "small" input @ data/nbody/small.in
-- output @ data/nbody/small.out

type vec = {x: f32, y: f32, z: f32}

def zero : vec = {x = 0, y = 0, z = 0}
def add (a: vec) (b: vec) : vec = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z}
def sub (a: vec) (b: vec) : vec = {x = a.x - b.x, y = a.y - b.y, z = a.z - b.z}
def scale (s: f32) (a: vec) : vec = {x = s * a.x, y = s * a.y, z = s * a.z}
def dot (a: vec) (b: vec) : f32 = a.x * b.x + a.y * b.y + a.z * b.z

def pull (at: vec) (other: vec, mass: f32) : vec =
  let d = sub other at
  let inv = 1 / f32.sqrt (dot d d + 0.01)
  in scale (mass * inv * inv * inv) d

def step [n] (dt: f32) (masses: [n]f32) (bodies: [n](vec, vec)) : [n](vec, vec) =
  let sources = zip (map (.0) bodies) masses
  let move (p, v) =
    let a = reduce add zero (map (pull p) sources)
    let v' = add v (scale dt a)
    in (add p (scale dt v'), v')
  in map move bodies

def vec3 x y z : vec = {x, y, z}

def main [n] (steps: i32) (dt: f32) (xs: [n]f32) (ys: [n]f32) (zs: [n]f32) (masses: [n]f32)
             (us: [n]f32) (vs: [n]f32) (ws: [n]f32) : ([n]f32, [n]f32, [n]f32) =
  let bodies = zip (map3 vec3 xs ys zs) (map3 vec3 us vs ws)
  let ends = map (.0) (iterate steps (step dt masses) bodies)
  in (map (.x) ends, map (.y) ends, map (.z) ends)
