-- Results of a map that the next one computes again, because that costs less than to store them; and such that are stored.
-- ==
-- entry: diffused differences changed shared checked
-- input { 3i64 5i64 } auto output
-- input { 1i64 1i64 } auto output
-- input { 0i64 4i64 } auto output
-- input { 40i64 300i64 } auto output

def grid (n: i64) (m: i64) : [n][m]f32 =
  opaque (tabulate_2d n m (\i j -> f32.i64 ((i * 31 + j * 17 + i * j) % 101)))

-- All elements count.
def digest [n] [m] (a: [n][m]f32) : f64 =
  let b = opaque a
  in f64.sum (flatten (tabulate_2d n m (\i j -> f64.f32 b[i, j] * f64.i64 ((i * 7 + j * 13) % 97))))

-- Four differences and a quotient, of which the next map reads neighbours, again and again.
entry diffused (n: i64) (m: i64) : f64 =
  let below i = if i == n - 1 then i else i + 1
  let right j = if j == m - 1 then j else j + 1
  let a = loop a = grid n m for _k < 5i32 do
    let (ds, es, cs) =
      unzip3 (map unzip3 (tabulate_2d n m (\i j ->
        #[unsafe]
        let x = a[i, j]
        let d = a[below i, j] - x
        let e = a[i, right j] - x
        in (d, e, 1 / (1 + d * d + e * e)))))
    in #[unsafe]
       map4 (\i row ds' es' ->
               map4 (\j x d e -> x + 0.25 * (cs[below i, j] * d + cs[i, right j] * e + cs[i, j])) (iota m) row ds' es')
            (iota n) a ds es
  in digest a

-- All results but one, which is read elsewhere.
entry differences (n: i64) (m: i64) : f64 =
  let a = grid n m
  let (ds, es) =
    unzip (map unzip (tabulate_2d n m (\i j -> (a[i, j] - a[i, i64.max 0 (j - 1)], a[i, j] * 2))))
  in digest (tabulate_2d n m (\i j -> ds[i, j] + es[n - 1 - i, j]))

-- What they are computed of is changed in between.
entry changed (n: i64) (m: i64) : f64 =
  let a = copy (grid n m)
  let (ds, es) = unzip (map unzip (tabulate_2d n m (\i j -> (a[i, j] + 1, a[i, j] * 2))))
  let last = opaque (m - 1)
  let a = if n > 0 && last >= 0 then a with [0, last] = es[n - 1, 0] else a
  in digest (tabulate_2d n m (\i j -> ds[i, j] + es[n - 1 - i, j])) + digest a

-- Two maps read them.
entry shared (n: i64) (m: i64) : f64 =
  let a = grid n m
  let (ds, es) = unzip (map unzip (tabulate_2d n m (\i j -> (a[i, j] + 1, a[i, j] * 2))))
  let b = opaque (tabulate_2d n m (\i j -> ds[i, j] + es[n - 1 - i, j]))
  in digest (tabulate_2d n m (\i j -> ds[i, j] * es[n - 1 - i, j])) + digest b

-- What is read is checked.
entry checked (n: i64) (m: i64) : f64 =
  let a = grid n m
  let js = opaque (tabulate m (\j -> (j + 1) % m))
  let (ds, es) = unzip (map unzip (tabulate_2d n m (\i j -> (a[i, js[j]] - a[i, j], a[i, j] * 2))))
  in digest (tabulate_2d n m (\i j -> ds[i, j] + es[n - 1 - i, j]))

-- Branches choose between whole arrays.
-- ==
-- entry: chosen
-- input { 0i64 } auto output
-- input { 300i64 } auto output
entry chosen (n: i64) : i32 =
  let a = opaque (tabulate n (\i -> i32.i64 (i * 31 % 101)))
  let b = opaque (tabulate n (\i -> i32.i64 (i * 37 % 101)))
  let (ds, es) = unzip (tabulate n (\i -> (a[i] + 1, a[i] * 2)))
  in i32.sum (opaque (tabulate n (\i ->
       #[unsafe]
       let cs = if b[i] > 50 then ds else es
       in ds[i] * 3 + cs[n - 1 - i])))
