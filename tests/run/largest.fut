-- Where the largest and the smallest elements are, in blocks of which few change anything, is what it is element by
-- element.
-- ==
-- entry: same
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 255i64 } output { true }
-- input { 256i64 } output { true }
-- input { 511i64 } output { true }
-- input { 512i64 } output { true }
-- input { 513i64 } output { true }
-- input { 100000i64 } output { true }

def first_largest [n] (xs: [n]f32) : i64 =
  let pick (i, a) (j, b) = if b > a || (b == a && j < i) then (j, b) else (i, a)
  in (reduce_comm pick (-1, -f32.inf) (zip (iota n) xs)).0

def last_smallest [n] (xs: [n]i32) : (i64, i32) =
  reduce (\(i, a) (j, b) ->
            if a < b
            then (i, a)
            else if b < a
            then (j, b)
            else if i < j then (j, b) else (i, a))
         (-1, i32.highest)
         (zip (iota n) xs)

def first_in_loop [n] (xs: [n]u8) : (i64, u8) =
  loop (k, x) = (-1, 0) for i < n do if xs[i] > x then (i, xs[i]) else (k, x)

-- Each element is looked at by a branch of its own: this counts, too.
def one_by_one [n] 't (better: t -> t -> bool) (none: t) (xs: [n]t) : (i64, t, i64) =
  loop (k, x, c) = (-1, none, 0)
  for i < n do
    if better xs[i] x then (i, xs[i], c + 1) else (k, x, c + 1)

entry same (n: i64) : bool =
  let data (m: i64) = map (\i -> (i * 7919 + i / 13) % m) (iota n)
  let of_floats (xs: [n]f32) = first_largest xs == (one_by_one (>) (-f32.inf) xs).0
  let floats m = map f32.i64 (data m)
  let ints m = map i32.i64 (data m)
  let bytes m = map u8.i64 (data m)
  let of_ints (xs: [n]i32) =
    let (k, x) = last_smallest xs
    let (l, y, _) = one_by_one (<=) i32.highest xs
    in k == l && x == y
  let of_bytes (xs: [n]u8) =
    let (k, x) = first_in_loop xs
    let (l, y, _) = one_by_one (>) 0 xs
    in k == l && x == y
  in of_floats (floats 311) && of_floats (floats 3) && of_floats (map f32.i64 (iota n))
     && of_floats (map (\i -> f32.i64 (-i)) (iota n))
     && of_floats (map (\x -> if x == 7 then f32.nan else x) (floats 97))
     && of_ints (ints 1009)
     && of_ints (ints 4)
     && of_ints (map i32.i64 (iota n))
     && of_bytes (bytes 256)
     && of_bytes (bytes 2)
