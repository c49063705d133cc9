-- Loops with a state that replace all elements, or rows, of an array which begins with some value, and such as read it or leave a part of it.
-- ==
-- entry: walks two rows before backwards half
-- input { 0i64 5i64 } auto output
-- input { 5i64 0i64 } auto output
-- input { 3i64 1i64 } auto output
-- input { 70i64 40i64 } auto output
-- input { 300i64 33i64 } auto output

def next (s: u64) : u64 = s * 6364136223846793005 + 1442695040888963407
def number (s: u64) : f32 = f32.u64 (s >> 40) / 16777216

-- The same state for each iteration of a thread.
entry walks (n: i64) (m: i64) : [n][m]f32 =
  map (\i ->
         let (_, _, path) =
           loop (s, x, path) = (u64.i64 i * 7919 + 1, 100f32, replicate m 0f32) for k < m do
             let s = next s
             let x = x * (0.99 + 0.02 * number s)
             in (s, x, path with [k] = x)
         in path)
      (iota n)

-- Two arrays, one of which is read before it is replaced.
entry two (n: i64) (m: i64) : ([n][m]f32, [n][m]f32) =
  unzip (map (\i ->
                let (_, as, bs) =
                  loop (s, as, bs) = (u64.i64 i, replicate m 0f32, replicate m 1f32) for k < m do
                    let s = next s
                    let b = bs[k] + number s
                    in (s, as with [k] = b, bs with [k] = b * 2)
                in (as, bs))
             (iota n))

entry rows (n: i64) (m: i64) : [n][m]f32 =
  let (_, a) =
    loop (s, a) = (1f32, replicate n (replicate m 0)) for i < n do
      let s = 0.5 * s + f32.i64 i
      in (s, a with [i] = replicate m s)
  in a

-- Elements that were replaced are read.
entry before (n: i64) (m: i64) : [n][m]f32 =
  map (\i -> loop a = replicate m 3f32 for k < m do a with [k] = (if k == 0 then f32.i64 i else 0.5 * a[k - 1] + 1)) (iota n)

-- In another order.
entry backwards (n: i64) (m: i64) : [n][m]f32 =
  map (\i ->
         (loop (x, a) = (f32.i64 i, replicate m 3f32) for k < m do (x * 0.5 + 1, a with [m - 1 - k] = x)).1)
      (iota n)

-- What is not replaced stays.
entry half (n: i64) (m: i64) : [n][m]f32 =
  map (\i ->
         (loop (x, a) = (f32.i64 i, replicate m 3f32) for k < m / 2 do (x * 0.5 + 1, a with [k] = x)).1)
      (iota n)
