-- Properties that hold, of all kinds of arguments.
-- ==
-- property: reverse_twice
-- property: sorted pairs sums
-- property: generated consumed

def sort [n] (xs: [n]i32) : [n]i32 =
  loop xs = copy xs
  for i < n - 1 do
    loop xs
    for j < n - 1 - i do
      if xs[j] <= xs[j + 1]
      then xs
      else let (x, y) = (copy xs[j], copy xs[j + 1])
           in xs with [j] = y with [j + 1] = x

#[prop]
entry reverse_twice (xs: [][]u8) : bool =
  and (map2 (\a b -> and (map2 (==) a b)) (reverse (reverse xs)) xs)

#[prop(size(7))]
entry sorted (xs: []i32) : bool =
  let ys = sort xs
  in and (map (\i -> i == 0 || ys[i - 1] <= ys[i]) (indices ys))

#[prop]
entry pairs (p: {a: (i8, bool), b: []f32}) : bool =
  length p.b == 50 && (p.a.1 || !p.a.1)

#[prop]
entry sums (x: #left i64 | #right []i64) : bool =
  match x
  case #left _ -> true
  case #right ys -> i64.sum (map (^ 1) ys) == i64.sum (map (1 ^) ys)

entry up_to (size: i64) (seed: u64) : []i64 = iota (i64.u64 (seed % u64.i64 (size + 1)))

#[prop(gen(up_to), size(20))]
entry generated (xs: []i64) : bool = and (map2 (==) xs (indices xs))

#[prop]
entry consumed (xs: *[]i32) : bool = (xs with [0] = 7)[0] == 7
