-- An array of a point that a branch is about to change is also read before: both are computed for all points.
-- ==
-- entry: main
-- input { 1i32 [1i64, 2i64] } output { [[13i8, 13i8], [13i8, 13i8], [13i8, 13i8], [13i8, 13i8]] }
-- input { 2i32 [1i64, 2i64, 3i64, 4i64] } output { [[13i8, 13i8, 13i8, 26i8], [13i8, 13i8, 14i8, 27i8], [13i8, 15i8, 15i8, 28i8], [13i8, 13i8, 16i8, 29i8], [13i8, 13i8, 17i8, 30i8], [13i8, 13i8, 18i8, 31i8], [13i8, 19i8, 19i8, 32i8], [13i8, 13i8, 20i8, 33i8]] }
-- input { 1i32 empty([0]i64) } output { empty([0][0]i8) }

def at 'a [n] (d: a) (xs: [n]a) (i: i64) : a = if n == 0 then d else xs[i % i64.max 1 n]

entry main [n] (x: i32) (_: [n]i64) : [n * 2][n]i8 =
  map2 (\_ k ->
          let zs =
            let zs = loop zs = replicate n (i8.i64 k) for i < i64.min 3 n do zs with [(i64.i32 x + i) % n] = copy (i8.i64 k)
            let others = replicate n 13i8
            in zs with [::3] = copy others[::3]
          let (i, v) = (i64.i8 (at 0i8 zs k), copy 0i8)
          in scan (+) 0i8 (if n == 0 then zs else zs with [i % i64.max 1 n] = v))
       (iota (n * 2))
       (iota (n * 2))
