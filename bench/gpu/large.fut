-- Arrays of more than 2^31 elements: every kind of kernel counts in 64 bits where it must.
--
-- Each entry point makes its arrays in memory and returns a few numbers that say whether all elements were reached. The
-- sequential C back end gives the answers; `bench/gpu/large.py` compares.

def wide (n: i64) : [n]u8 =
  #[opaque] tabulate n (\i -> u8.i64 ((i * 167) >> 3))

def digest [n] (xs: [n]u8) : i64 =
  i64.sum (map2 (\i x -> (i & 1023) * i64.u8 x) (iota n) xs)

entry mapped (n: i64) : i64 = digest (#[opaque] map (* 3) (wide n))

entry reduced (n: i64) : (i64, u8) =
  let xs = wide n
  in (i64.sum (map i64.u8 xs), u8.maximum xs)

entry scanned (n: i64) : i64 = digest (#[opaque] scan (+) 0 (wide n))

entry filtered (n: i64) : (i64, i64) =
  let xs = #[opaque] filter (\x -> x < 250) (wide n)
  in (length xs, digest xs)

entry scattered (n: i64) : i64 =
  let is = map (\i -> n - 1 - i) (iota n)
  in digest (#[opaque] scatter (replicate n 0) is (wide n))

entry counted (n: i64) : i64 =
  let bins = #[opaque] reduce_by_index (replicate 256 0) (+) 0 (map i64.u8 (wide n)) (replicate n 1i64)
  in i64.sum (map2 (\i b -> (i + 1) * b) (iota 256) bins)

entry transposed (n: i64) : i64 =
  let m = n / 3
  in digest (#[opaque] flatten (transpose (unflatten (wide (3 * m)))))

entry rows (n: i64) : (i64, i64) =
  let m = n / 3
  let sums xss = #[opaque] map (\xs -> i64.sum (map i64.u8 xs)) xss
  let long = sums (unflatten (wide (3 * m)))
  let short = sums (transpose (unflatten (wide (3 * m))))
  in (i64.sum (map2 (*) long (map (+ 1) (iota 3))), i64.sum (map2 (\i s -> (i & 7) * s) (iota m) short))

entry rotated (n: i64) : i64 = digest (#[opaque] rotate (n / 2 + 1) (wide n))
