-- Streams of updates: all elements at once, by the threads of a grid or of a thread block.

def scatter_stream [k] 'a 'b (dest: *[k]a) (f: *intrinsics.acc ([k]a) -> b -> intrinsics.acc ([k]a)) (bs: []b) : *[k]a =
  intrinsics.scatter_stream dest f bs :> *[k]a

def hist_stream [k] 'a 'b (dest: *[k]a) (op: a -> a -> a) (ne: a) (f: *intrinsics.acc ([k]a) -> b -> intrinsics.acc ([k]a)) (bs: []b) : *[k]a =
  intrinsics.hist_stream dest op ne f bs :> *[k]a

-- ==
-- entry: grid
-- input { [1i64, 2i64, 3i64, 4i64] } output { [4i64, 8i64, 1i64, 2i64, 2i64, 4i64, 3i64, 6i64] }
entry grid [n] (xs: [n]i64) : []i64 =
  let f (acc: *intrinsics.acc ([2 * n]i64)) (i: i64) : intrinsics.acc ([2 * n]i64) =
    loop acc for j < 2 do intrinsics.acc_write acc (2 * ((i + 1) % n) + j) (xs[i] * (j + 1))
  in scatter_stream (replicate (2 * n) 0) f (iota n)

-- ==
-- entry: counts
-- input { [1i64, 2i64, 1i64, 4i64, 7i64] } output { [0i32, 2i32, 3i32, 1i32, 1i32, 1i32] }
entry counts (xs: []i64) : []i32 =
  let f (acc: *intrinsics.acc ([6]i32)) (x: i64) : intrinsics.acc ([6]i32) =
    loop acc for j < 2 do intrinsics.acc_write acc (x + j) 1
  in hist_stream (replicate 6 0) (+) 0 f xs

-- Each block writes to shared memory in every step of its loop; elements that it only reads stay as they are.
-- ==
-- entry: blocks
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] 1i64 } output { [[1i64, 2i64, 2i64, 4i64, 3i64, 6i64], [4i64, 8i64, 5i64, 10i64, 6i64, 12i64]] }
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] 2i64 } output { [[4i64, 7i64, 3i64, 4i64, 4i64, 6i64], [10i64, 16i64, 12i64, 16i64, 10i64, 15i64]] }
entry blocks [m] [n] (xss: [m][n]i64) (steps: i64) : [m][]i64 =
  #[incremental_flattening(only_intra)]
  map (\xs ->
         loop room = replicate (2 * n) 0
         for s < steps do
           let f (acc: *intrinsics.acc ([2 * n]i64)) (i: i64) : intrinsics.acc ([2 * n]i64) =
             loop acc for j < 2 do
               intrinsics.acc_write acc (2 * ((i + s) % n) + j) (xs[i] * (j + 1) + room[(i + 1) % n])
           in scatter_stream (copy room) f (iota n))
      xss
