-- Particles in a cube of boxes: each particle feels those of its own box and of the neighbouring ones, by a potential
-- that falls with distance.
--
-- Parallelism: boxes x particles, a sequential loop over neighbouring boxes, and a reduction over the particles of each.
-- With a thousand boxes (d1) the outer two levels suffice and the neighbour's particles are shared by a thread block;
-- with 27 boxes (d2) the reduction must run in parallel too.
-- ==
-- "tiny" input { 1i64 [[0f32, 1f32]] [[0f32, 0f32]] [[0f32, 0f32]] [[0.5f32, 0.5f32]] [[1f32, 2f32]] }
-- output { [[1.819592f32, 2.606531f32]] [[-2.4261227f32, 1.2130613f32]] [[0f32, 0f32]] [[0f32, 0f32]] }
-- "small" input @ data/lavamd/small.in
-- output @ data/lavamd/small.out

type particle = {x: f32, y: f32, z: f32, v: f32}

def zero : particle = {x = 0, y = 0, z = 0, v = 0}
def add (a: particle) (b: particle) : particle = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z, v = a.v + b.v}

-- The force of one particle (with its charge) on another; v carries half the squared length.
def force (a: particle) (b: particle, charge: f32) : particle =
  let alpha = 0.5
  let r2 = a.v + b.v - (a.x * b.x + a.y * b.y + a.z * b.z)
  let e = f32.exp (-2 * alpha * alpha * r2)
  let s = 2 * charge * e
  in {x = s * (a.x - b.x), y = s * (a.y - b.y), z = s * (a.z - b.z), v = charge * e}

def main [boxes] [n] (side: i64) (xs: [boxes][n]f32) (ys: [boxes][n]f32) (zs: [boxes][n]f32) (vs: [boxes][n]f32)
                     (charges: [boxes][n]f32) : ([boxes][n]f32, [boxes][n]f32, [boxes][n]f32, [boxes][n]f32) =
  let particles = map4 (map4 (\x y z v -> {x, y, z, v})) xs ys zs vs
  let inside (k: i64) = k >= 0 && k < side
  let on_particle box (p: particle) =
    loop sum = zero for k < 27 do
      let z = box / (side * side) + k / 9 - 1
      let y = box / side % side + k / 3 % 3 - 1
      let x = box % side + k % 3 - 1
      in if inside z && inside y && inside x
         then let other = (z * side + y) * side + x
              in add sum (reduce add zero (map (force p) (zip particles[other] charges[other])))
         else sum
  let forces = map2 (\box ps -> map (on_particle box) ps) (iota boxes) particles
  let pick f = map (map f) forces
  in (pick (.v), pick (.x), pick (.y), pick (.z))
