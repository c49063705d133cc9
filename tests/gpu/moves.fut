-- Bodies that only move elements: one thread for each element, not one for each row.
-- ==
-- entry: transposed copied rotated joined reversed first_changed sliced shifted_up twice columns_changed both_ends same_twice
-- random input { [50][7]i32 } auto output
-- random input { [3][1000]i32 } auto output
-- random input { [1000][1]i32 } auto output
-- random input { [0][5]i32 } auto output

-- ==
-- entry: transposed3 flattened views_of_views deep_joined deep_updated half_turned
-- random input { [300][10][12]i32 } auto output
-- random input { [5][6][7]i32 } auto output
-- random input { [200][1][3]i32 } auto output
-- random input { [1][31][33]i32 } auto output
-- random input { [0][2][3]i32 } auto output

-- ==
-- entry: copies progressions mixed several
-- random input { [100]i64 9i64 } auto output
-- random input { [3]i64 700i64 } auto output
-- random input { [10]i64 0i64 } auto output
-- random input { [0]i64 4i64 } auto output

entry transposed [n][m] (xss: [n][m]i32) = map (\i -> transpose (map (map (+ i)) xss)) (iota 3 |> map i32.i64)
entry copied [n][m] (xss: [n][m]i32) = map copy xss
entry rotated [n][m] (xss: [n][m]i32) = map (rotate (-3)) xss
entry joined [n][m] (xss: [n][m]i32) = map (\xs -> xs ++ [1, 2] ++ reverse xs) xss
entry reversed [n][m] (xss: [n][m]i32) = map reverse xss
entry first_changed [n][m] (xss: [n][m]i32) = map (\xs -> copy xs with [0] = xs[m - 1]) xss
entry sliced [n][m] (xss: [n][m]i32) = map (\xs -> (xs[:1], xs[m / 2:], xs[::-1])) xss |> unzip3
entry shifted_up [n][m] (xss: [n][m]i32) = map (\i -> if i == 0 then replicate m 7 else copy xss[i - 1]) (iota n)
entry twice [n][m] (xss: [n][m]i32) = map (\xs -> (xs, xs, rotate 1 xs)) xss |> unzip3
entry columns_changed [n][m] (xss: [n][m]i32) =
  map (\i -> let yss = transpose (copy xss) in (copy yss) with [0] = replicate n (i32.i64 i)) (iota 3)
entry both_ends [n][m] (xss: [n][m]i32) =
  map (\xs -> let ys = copy xs
              let ys[0] = xs[m - 1]
              let first = ys[0] + xs[0]
              let ys[m - 1] = first
              in (ys, first)) xss |> unzip
entry same_twice [n][m] (xss: [n][m]i32) =
  map (\xs -> let ys = rotate 1 xs let zs = unflatten (ys :> [m * 1]i32) in (ys, zs)) xss |> unzip

entry transposed3 [n][m][k] (xsss: [n][m][k]i32) = map transpose xsss
entry flattened [n][m][k] (xsss: [n][m][k]i32) = map flatten xsss
entry views_of_views [n][m][k] (xsss: [n][m][k]i32) = map (\xss -> map reverse (transpose xss)[::-1]) xsss
entry deep_joined [n][m][k] (xsss: [n][m][k]i32) = map (map (\xs -> rotate 2 xs ++ xs[:1] ++ [xs[0]])) xsss
entry deep_updated [n][m][k] (xsss: [n][m][k]i32) =
  map (\xss -> let yss = flatten (copy xss)
               let x = yss[0]
               let yss[1 : k] = replicate (k - 1) x
               in (yss, x)) xsss |> unzip
entry half_turned [n][m][k] (xsss: [n][m][k]i32) =
  map (\xss -> let t = transpose (copy xss)
               let old = t[0, 0]
               let t[0] = map (+ old) t[k - 1]
               in (t, old)) xsss |> unzip

entry copies [n] (xs: [n]i64) (k: i64) = map (\x -> replicate k x) xs
entry progressions [n] (xs: [n]i64) (k: i64) = map (\x -> (iota k, map (* 2) (iota k), (x..<x + 3) :> [3]i64)) (map (% 100) xs)
                                                |> unzip3
entry mixed [n] (xs: [n]i64) (k: i64) =
  map (\x -> let s = loop s = x for i < 10 do s * 3 + i
             let t = if s % 2 == 0 then x else s
             in (replicate k s ++ replicate 2 t, t)) xs |> unzip
entry several [n] (xs: [n]i64) (k: i64) =
  map (\x -> let a = replicate k (x, x + 1) let b = iota k let (c, d) = unzip a in (c, d, b)) xs |> unzip3

-- ==
-- entry: steps around both_rotated in_rows changed_later
-- random input { [20][30]i32 } auto output
-- random input { [300][7]i32 } auto output
-- random input { [3][2000]i32 } auto output

-- Elements of joined arrays are read from their parts.
entry steps [n][m] (rows: [n][m]i32) : [m]i32 =
  loop best = rows[0] for i < n do
    let mid = tabulate (m - 2) (\j -> i32.min best[j] (i32.min best[j + 1] best[j + 2]))
    in map2 (+) rows[i] ([i32.min best[0] best[1]] ++ mid ++ [i32.min best[m - 2] best[m - 1]] :> [m]i32)
entry around [n][m] (rows: [n][m]i32) : i32 =
  let xs = rows[0] ++ rows[n - 1] ++ [1, 2, 3]
  let ys = rotate 5 xs
  in i32.sum (map2 (\x y -> x * 3 - y) xs ys)
entry both_rotated [n][m] (rows: [n][m]i32) =
  map (\r -> map3 (\x y z -> x - 2 * y + z) (rotate 1 r) r (rotate (-1) r)) rows
entry in_rows [n][m] (rows: [n][m]i32) =
  map (\r -> let e = [r[0]] ++ r ++ [r[m - 1]]
             let s = scan (+) 0 e
             in scatter (copy r) (iota m ++ [-1, m]) (s :> [m + 2]i32)) rows
entry changed_later [n][m] (rows: *[n][m]i32) =
  let a = copy rows[0]
  let b = copy rows[1]
  let c = a ++ b
  let a[0] = 17
  in (a, i32.sum (map (* 2) c), map (+ 1) c)

-- ==
-- entry: cast_rows cast_host cast_scatter
-- random input { [20][30]i32 } auto output
-- random input { [3][1]i32 } auto output
entry cast_rows [n][m] (rows: [n][m]i32) =
  map (\r -> let e = (take (m / 2) r ++ drop (m / 2) r) :> [m]i32
             let f = (rotate 1 r ++ [1]) :> [m + 1]i32
             in (map2 (+) e r, i32.sum f)) rows |> unzip
entry cast_host [n][m] (rows: [n][m]i32) : [m]i32 =
  loop r = rows[0] for i < n do
    map2 (+) ((drop (m / 2) r ++ take (m / 2) r) :> [m]i32) rows[i]
entry cast_scatter [n][m] (rows: [n][m]i32) =
  map (\r -> let is = (map (+ 1) (iota (m / 2)) ++ iota (m - m / 2)) :> [m]i64
             let vs = (take (m / 2) r ++ take (m - m / 2) r) :> [m]i32
             in reduce_by_index (copy r) (+) 0 is vs) rows

-- Rows are taken to pieces, the pieces are put in another order or mapped, and all is put together again, with copies that
-- nobody writes to: a thread for each element.
def up [k] (q: i64) (r: i64) (v: *[2 ** k]f64) : *[2 ** k]f64 =
  let n = r - q
  let rows = transpose (unflatten (v :> [2 ** (r + 1) * 2 ** (k - r - 1)]f64))
  let piece (u: [2 ** (n + 1)]f64) : [2 * 2 ** n]f64 =
    flatten (transpose (unflatten (copy u :> [2 ** n * 2]f64)))
  let row (u: [2 ** (r + 1)]f64) =
    flatten (map piece (unflatten (copy u :> [2 ** q * 2 ** (n + 1)]f64)))
  in flatten (transpose (map row rows)) :> *[2 ** k]f64

-- ==
-- entry: pieces_in_rows
-- input { 4i64 0i64 2i64 } output { [0f64, 1f64, 4f64, 5f64, 8f64, 9f64, 12f64, 13f64, 2f64, 3f64, 6f64, 7f64, 10f64, 11f64, 14f64, 15f64] }
-- input { 4i64 1i64 3i64 } output { [0f64, 2f64, 4f64, 6f64, 1f64, 3f64, 5f64, 7f64, 8f64, 10f64, 12f64, 14f64, 9f64, 11f64, 13f64, 15f64] }
-- input { 3i64 1i64 1i64 } output { [0f64, 1f64, 2f64, 3f64, 4f64, 5f64, 6f64, 7f64] }
entry pieces_in_rows (k: i64) (q: i64) (r: i64) = up q r (map f64.i64 (iota (2 ** k)))

-- ==
-- entry: pairs_in_rows
-- input { [[1f32, 2f32, 3f32, 4f32], [5f32, 6f32, 7f32, 8f32]] } output { [[3f32, -1f32, 7f32, -1f32], [11f32, -1f32, 15f32, -1f32]] [1f32, 5f32] }
entry pairs_in_rows [n] [m] (xss: [n][m]f32) =
  let pair (p: [2]f32) = [p[0] + p[1], p[0] - p[1]]
  in (map (\xs -> flatten (map pair (unflatten (copy xs :> [m / 2 * 2]f32)))) xss, map (\xs -> xs[0]) xss)
