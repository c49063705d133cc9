-- The potential at each of many bodies in the unit square, by Barnes and Hut: cells that are far away, compared with their width,
-- count as one body.
--
-- Bodies are sorted along a curve that visits the quarters of a square one after the other, so that the bodies of a cell stand
-- together. A cell is walked by recursion: its four quarters, unless it is far away or has few bodies.
--
-- Parallelism: recursion in a map over bodies, and sums over the bodies of small cells: all cells of one depth, of all bodies, are
-- done together.
-- ==
-- "two" input { 0.5f32 [0.25f32, 0.75f32] [0.5f32, 0.5f32] [1f32, 2f32] } output { [103.99920023992003f64, 201.99960011996001f64] }
-- "none" input { 0.5f32 empty([0]f32) empty([0]f32) empty([0]f32) } output { empty([0]f64) }
-- "small" input @ data/barneshut/small.in
-- output @ data/barneshut/small.out

def depths : i64 = 15
def few : i64 = 8

type body = {x: f64, y: f64, mass: f64}

-- Fifteen bits, with a zero before each.
def spread (x: i64) : i64 =
  let x = (x | (x << 8)) & 0x00ff00ff
  let x = (x | (x << 4)) & 0x0f0f0f0f
  let x = (x | (x << 2)) & 0x33333333
  in (x | (x << 1)) & 0x55555555

-- The number of a place on the curve.
def place (x: f32) (y: f32) : i64 =
  let cell (a: f32) = i64.max 0 (i64.min 32767 (i64.f32 (a * 32768)))
  in spread (cell x) | (spread (cell y) << 1)

-- The order of these numbers; the same ones stay in their order.
def order [n] (places: [n]i64) : [n]i64 =
  loop is = iota n
  for bit < 2 * depths do
    let one = map (\i -> (places[i] >> bit) & 1) is
    let ones = scan (+) 0 one
    let zeros = n - (if n == 0 then 0 else ones[n - 1])
    let to = map3 (\i o upto -> if o == 1 then zeros + upto - 1 else i - upto) (iota n) one ones
    in scatter (copy is) to is

-- How many of the sorted numbers are smaller.
def below [n] (places: [n]i64) (x: i64) : i64 =
  let (first, _) =
    loop (low, high) = (0, n)
    while low < high do
      let middle = (low + high) / 2
      in if places[middle] < x then (middle + 1, high) else (low, middle)
  in first

def near (at: body) (x: f64) (y: f64) : f64 =
  let (dx, dy) = (x - at.x, y - at.y)
  in dx * dx + dy * dy + 0.0001

-- The potential that the bodies of a cell make at a body.
def potential [n] (theta: f64) (places: [n]i64) (bodies: [n]body) (before: [n + 1](f64, f64, f64)) (at: body) (depth: i64) (cell: i64) : f64 =
  let low = below places cell
  let high = below places (cell + (1 << (2 * (depths - depth))))
  let ((m0, x0, y0), (m1, x1, y1)) = (before[low], before[high])
  let mass = m1 - m0
  let width = 1 / f64.i64 (1 << depth)
  in if high == low
     then 0
     else if high - low <= few || depth == depths
     then f64.sum (map (\b -> b.mass / f64.sqrt (near at b.x b.y)) bodies[low:high])
     else let d = near at ((x1 - x0) / mass) ((y1 - y0) / mass)
          in if width * width < theta * theta * d
             then mass / f64.sqrt d
             else let quarter = 1 << (2 * (depths - depth - 1))
                  in f64.sum (map (\k -> potential theta places bodies before at (depth + 1) (cell + k * quarter)) (iota 4))

def main [n] (theta: f32) (xs: [n]f32) (ys: [n]f32) (masses: [n]f32) : [n]f64 =
  let all = map2 place xs ys
  let is = order all
  let places = map (\i -> all[i]) is
  let bodies = map (\i -> {x = f64.f32 xs[i], y = f64.f32 ys[i], mass = f64.f32 masses[i]}) is
  let add (a: f64, b: f64, c: f64) (d, e, f) = (a + d, b + e, c + f)
  let sums = scan add (0, 0, 0) (map (\b -> (b.mass, b.mass * b.x, b.mass * b.y)) bodies)
  let before = ([(0, 0, 0)] ++ sums) :> [n + 1](f64, f64, f64)
  let found = map (\b -> potential (f64.f32 theta) places bodies before b 0 0) bodies
  in scatter (replicate n 0) is found
