-- Accumulators whose updates are reductions, elements, histograms, or remain updates, beside the same by other means.

type~ buf [k] = intrinsics.acc ([k]i64)

def hist [k] [n] 'b (dest: *[k]i64) (op: i64 -> i64 -> i64) (ne: i64) (f: *buf [k] -> b -> buf [k]) (bs: [n]b) : *[k]i64 =
  intrinsics.hist_stream dest op ne f bs

def put [k] (acc: *buf [k]) (i: i64) (v: i64) : *buf [k] =
  intrinsics.acc_write acc i v

def same [k] (xs: [k]i64) (ys: [k]i64) : bool = all id (map2 (==) xs ys)

def add [k] [n] (dest: *[k]i64) (is: [n]i64) (vs: [n]i64) : *[k]i64 = reduce_by_index dest (+) 0 is vs

-- ==
-- entry: fixed counted conditional twice inner carried stored maximum negative
-- input { [1i64, 0i64, 2i64, 1i64, 9i64, -1i64, 2i64] [10i64, 20i64, 30i64, 40i64, 50i64, 60i64, 70i64] 4i64 2i64 }
-- output { true }
-- input { [1i64] [10i64] 3i64 3i64 }
-- output { true }
-- input { empty([0]i64) empty([0]i64) 3i64 -1i64 }
-- output { true }

-- One place, which may be out of bounds.
entry fixed [n] (is: [n]i64) (vs: [n]i64) (k: i64) (at: i64) =
  same (hist (replicate k 5) (+) 0 (\(acc: *buf [k]) (i, v) -> put acc at (i * v)) (zip is vs))
       (add (replicate k 5) (replicate n at) (map2 (*) is vs))

-- The element's own number.
entry counted [n] (is: [n]i64) (vs: [n]i64) (k: i64) (_: i64) =
  same (hist (copy vs) (+) 0 (\(acc: *buf [n]) i -> put acc i (is[i] + k)) (iota n)) (map2 (\v i -> v + i + k) vs is)
  && same (hist (replicate n 0) (+) 0 (\(acc: *buf [n]) i -> put acc i (is[i] + k)) (iota n)) (map (+ k) is)

-- A place that is data, and only for some.
entry conditional [n] (is: [n]i64) (vs: [n]i64) (k: i64) (at: i64) =
  let odd i = i % 2 == 1
  in same (hist (replicate k 1) (+) 0 (\(acc: *buf [k]) (i, v) -> if odd i then put acc i v else acc) (zip is vs))
          (add (replicate k 1) (map (\i -> if odd i then i else -1) is) vs)
     && same (hist (replicate k 1) (+) 0 (\(acc: *buf [k]) (i, v) -> if odd i then put acc at v else acc) (zip is vs))
             (add (replicate k 1) (replicate n at) (map2 (\i v -> if odd i then v else 0) is vs))
     && same (hist (replicate k 1) (+) 0 (\(acc: *buf [k]) (i, v) -> if odd i then put acc at v else put acc i 1) (zip is vs))
             (add (add (replicate k 1) (replicate n at) (map2 (\i v -> if odd i then v else 0) is vs))
                  (map (\i -> if odd i then -1 else i) is)
                  (replicate n 1))

-- Two places, one of them data.
entry twice [n] (is: [n]i64) (vs: [n]i64) (k: i64) (at: i64) =
  same (hist (replicate k 1) (+) 0 (\(acc: *buf [k]) (i, v) -> put (put acc at v) (i + 1) (v * v)) (zip is vs))
       (add (add (replicate k 1) (replicate n at) vs) (map (+ 1) is) (map2 (*) vs vs))

-- A loop, whose counter is the place: a sum for each.
entry inner [n] (is: [n]i64) (vs: [n]i64) (k: i64) (_: i64) =
  same (hist (replicate k 1) (+) 0 (\(acc: *buf [k]) (i, v) -> loop acc for j < k do put acc j (i * v + j)) (zip is vs))
       (tabulate k (\j -> 1 + i64.sum (map2 (\i v -> i * v + j) is vs)))
  && same (hist (replicate k 1) (+) 0 (\(acc: *buf [k]) (i, v) -> loop acc for j < i do put acc j v) (zip is vs))
          (tabulate k (\j -> 1 + i64.sum (map2 (\i v -> if j < i then v else 0) is vs)))

-- A loop that carries what it puts.
entry carried [n] (is: [n]i64) (vs: [n]i64) (k: i64) (_: i64) =
  same (hist (replicate k 1) (+) 0 (\(acc: *buf [k]) (i, v) -> (.0) (loop (acc, v) for _j < k do (put acc i v, v * 2 + i))) (zip is vs))
       (add (replicate k 1) is (map2 (\i v -> (.0) (loop (s, v) = (0, v) for _j < k do (s + v, v * 2 + i))) is vs))

-- A value and a place that take long.
entry stored [n] (is: [n]i64) (vs: [n]i64) (k: i64) (_: i64) =
  let long v = loop v for _j < 5 do (v * v + 1) % 1000
  in same (hist (replicate k 1) (+) 0 (\(acc: *buf [k]) (i, v) -> put acc (long i % k) (long v)) (zip is vs))
          (add (replicate k 1) (map (\i -> long i % k) is) (map long vs))
     && same (hist (replicate k 1) (+) 0 (\(acc: *buf [k]) (i, v) -> let w = long v in loop acc for j < k do put acc j (w + i)) (zip is vs))
             (replicate k (1 + i64.sum (map2 (\i v -> long v + i) is vs)))

-- Another operator.
entry maximum [n] (is: [n]i64) (vs: [n]i64) (k: i64) (at: i64) =
  same (hist (replicate k 3) i64.max i64.lowest (\(acc: *buf [k]) (i, v) -> if i < 2 then put acc at v else acc) (zip is vs))
       (reduce_by_index (replicate k 3) i64.max i64.lowest (replicate n at) (map2 (\i v -> if i < 2 then v else i64.lowest) is vs))

-- Loops that do nothing, and one that changes by what it is in.
entry negative [n] (is: [n]i64) (vs: [n]i64) (k: i64) (at: i64) =
  same (hist (replicate k 1) (+) 0 (\(acc: *buf [k]) (_, v) -> loop acc for _j < at - 2 do put acc 0 v) (zip is vs))
       (tabulate k (\j -> 1 + if j == 0 then i64.max 0 (at - 2) * i64.sum vs else 0))
  && same (hist (replicate k 1) (+) 0 (\(acc: *buf [k]) (i, v) -> loop acc for j < i do put acc (j % k) v) (zip is vs))
          (loop xs = replicate k 1 for q < n do loop xs for j < is[q] do xs with [j % k] = xs[j % k] + vs[q])
