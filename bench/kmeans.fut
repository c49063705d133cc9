-- K-means by Lloyd's iteration: each point to its nearest centre, each centre to the mean of its points. The first k
-- points are the first centres; a centre that loses all its points stays. One iteration is the "k-means step".
--
-- Parallelism: points x centres x a reduction over coordinates, then a reduce_by_index of vectors. With many points
-- the outer level suffices and only the histogram's strategy matters.
-- ==
-- "tiny" input { 1 2i64 [[0f32, 0f32], [10f32, 0f32], [1f32, 1f32], [11f32, 4f32]] }
-- output { [[0.5f32, 0.5f32], [10.5f32, 2f32]] }
-- "small" input @ data/kmeans/small.in
-- output @ data/kmeans/small.out

def distance2 [d] (a: [d]f32) (b: [d]f32) : f32 = f32.sum (map2 (\x y -> (x - y) * (x - y)) a b)

def nearest [k] [d] (centres: [k][d]f32) (point: [d]f32) : i64 =
  let closer (i, x) (j, y) = if y < x then (j, y) else (i, x)
  in (loop best = (0, f32.inf) for i < k do closer best (i, distance2 centres[i] point)).0

def step [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) : [k][d]f32 =
  let owners = map (nearest centres) points
  let sizes = reduce_by_index (replicate k 0) (+) 0 owners (replicate n 1i32)
  let sums = reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0) owners points
  let mean size sum old = if size == 0 then old else map (/ f32.i32 size) sum
  in map3 mean sizes sums centres

def main [n] [d] (iterations: i32) (k: i64) (points: [n][d]f32) : [k][d]f32 =
  iterate iterations (step points) (take k points)
