-- What is read of an array before it is changed in place is what was there, whichever thread gets there first, and however often
-- the change is repeated.
-- ==
-- entry: rows_by_element loops scattered counted counted_later every_other
-- random input { [20][30][30]i32 } auto output
-- random input { [300][3][3]i32 } auto output
-- random input { [2][200][200]i32 } auto output

def place (k: i64) (m: i64) : i64 = k % i64.max 1 m

entry rows_by_element [n][m] (c: *[n][m][m]i32) =
  loop c for i < 3 do
    map (\x -> let z = copy x
               let q = i64.i32 z[place i m, place i m]
               let z = z with [place q m] = replicate m 2
               in map (map (+ 1)) z) c

entry loops [n][m] (c: [n][m][m]i32) =
  map (\x -> let z = copy x[0]
             let s = z[0]
             in loop z for _i < 5 do map (+ s) (scan (+) 0 (map (* 3) z))) c

entry scattered [n][m] (c: *[n][m][m]i32) =
  loop c for i < 3 do
    map (\x -> let z = copy x[place i m]
               let q = i64.i32 z[0]
               let z = scatter z (map (\j -> place (j + q) m) (iota m)) (map (\j -> i32.i64 (j - q)) (iota m))
               in replicate m (map (* 7) z)) c

entry counted [n][m] (c: *[n][m][m]i32) =
  loop c for i < 3 do
    map (\x -> let z = copy x[place i m]
               let q = i64.i32 z[0]
               let z = reduce_by_index z (+) 0 (map (\j -> place (j * j + q) m) (iota m)) (replicate m 1)
               in replicate m (map (* 7) z)) c

entry counted_later [n][m] (c0: [n][m][m]i32) =
  loop c = c0 for i < 6 do
    match i % 3
    case 0 -> map (map (map (+ 1))) c
    case 1 -> map (\x -> let z = copy x
                         let q = z[place i m, place i m]
                         let z = z with [place (i64.i32 q) m] = replicate m 2
                         in reduce_by_index (copy z) (map2 (|)) (replicate m 0) (iota m) (replicate m (map i32.i64 (iota m)))) c
    case _ -> c

entry every_other [n][m] (c0: [n][m][m]i32) =
  loop c = c0 for i < 4 do
    match i % 3
    case 0 -> let z = replicate n (replicate m (replicate m 1)) in z with [::-2] = copy c[::-2]
    case 1 -> map (\x -> let z = copy x
                         let q = z[0, 0]
                         let z = z with [place (i64.i32 q) m] = replicate m 2
                         in reduce_by_index (copy z) (map2 (|)) (replicate m 0) (iota m) (replicate m (map i32.i64 (iota m)))) c
    case _ -> c
