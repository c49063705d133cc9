-- Sizes in all their forms.

def halves [n] 't (xs: [n * 2]t) : ([n]t, [n]t) =
  (take n xs, drop n xs :> [n]t)

def blocks [n] [m] 't (k: i64) (xs: [n][m]t) : ?[b].[b][k][m]t =
  let b = n / k
  in unflatten (take (b * k) xs) :> [b][k][m]t

type matrix [n] [m] 't = [n][m]t
type~ bag 't = {items: []t, weight: f32}

def matmul [n] [m] [p] (a: matrix [n] [m] f32) (b: matrix [m] [p] f32) : matrix [n] [p] f32 =
  map (\row -> map (\col -> f32.sum (map2 (*) row col)) (transpose b)) a

def pack (xs: []i32) : bag i32 =
  let items = filter (\x -> x != 0) xs
  in {items, weight = f32.i64 (length items)}

def windows [n] (w: i64) (xs: [n]i32) =
  let count = n - w + 1
  in map (\i -> i32.sum xs[i:i + w]) (iota count)

entry main [n] (xs: [n]i32) =
  let [k] (kept: [k]i32) = (pack xs).items
  in (k, windows 3 kept, xs[::-1], xs[n - 1:0:-2])
