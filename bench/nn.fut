-- The k nearest of many places to a query, for a batch of queries with their own places: distances by a map, then the
-- smallest one k times over, each time by a reduction, and taken out of the race by setting it to infinity: by a
-- scatter of one element in main, by an update of it in update (there is at least one place).
--
-- Parallelism: batches x places, in a sequential loop of k reductions. One batch of 855280 places (d1) needs the large
-- reduction; 4096 batches of 128 (d2) belong in a thread block each, or even one thread each.
-- ==
-- entry: main update
-- "tiny" input { 2 [0f32] [0f32] [[3f32, 1f32, 0f32]] [[4f32, 0f32, 2f32]] }
-- output { [[1f32, 2f32]] [[1i64, 2i64]] }
-- "small" input @ data/nn/small.in
-- output @ data/nn/small.out

def nearest [n] (scattered: bool) (k: i64) (lat: f32) (lng: f32) (lats: [n]f32) (lngs: [n]f32) : ([k]f32, [k]i64) =
  let distance x y = f32.sqrt ((x - lat) ** 2 + (y - lng) ** 2)
  let closer (d1, i1) (d2, i2) = if d1 < d2 || (d1 == d2 && i1 < i2) then (d1, i1) else (d2, i2)
  let (ds, is, _) =
    loop (ds, is, left) = (replicate k f32.inf, replicate k (-1), map2 distance lats lngs) for j < k do
      let (d, i) = reduce_comm closer (f32.inf, i64.highest) (zip left (iota n))
      let left = if scattered then scatter left [i] [f32.inf] else left with [i64.min i (n - 1)] = f32.inf
      in (ds with [j] = d, is with [j] = i, left)
  in (ds, is)

entry main [b] [n] (k: i32) (lat: [b]f32) (lng: [b]f32) (lats: [b][n]f32) (lngs: [b][n]f32) : ([b][]f32, [b][]i64) =
  unzip (map4 (nearest true (i64.i32 k)) lat lng lats lngs)

entry update [b] [n] (k: i32) (lat: [b]f32) (lng: [b]f32) (lats: [b][n]f32) (lngs: [b][n]f32) : ([b][]f32, [b][]i64) =
  unzip (map4 (nearest false (i64.i32 k)) lat lng lats lngs)
