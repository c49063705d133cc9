-- The product of two sparse matrices, of which the number of elements of each row and the sum of their squares are kept. Matrices
-- are given by the number of elements of each row, and by the column and value of all elements, row by row.
--
-- Parallelism: a map over rows of the first matrix. Each row lists the products of its elements with rows of the second, sorts them by
-- column and adds those of the same column: lists whose sizes are sums of sizes, loops and scans in an irregular nest.
-- ==
-- "tiny" input { [2i64, 0i64, 1i64] [0, 1, 1] [2f32, 3f32, 4f32] [1i64, 2i64] [1, 0, 1] [5f32, 6f32, 7f32] }
-- output { [2i64, 0i64, 2i64] [1285f32, 0f32, 1360f32] }
-- "none" input { empty([0]i64) empty([0]i32) empty([0]f32) [1i64] [0] [5f32] } output { empty([0]i64) empty([0]f32) }
-- "small" input @ data/spgemm/small.in
-- output @ data/spgemm/small.out

-- The first place whose number is greater.
def after [n] (ends: [n]i64) (x: i64) : i64 =
  let (first, _) =
    loop (low, high) = (0, n)
    while low < high do
      let middle = (low + high) / 2
      in if ends[middle] <= x then (middle + 1, high) else (low, middle)
  in first

-- Sorts by the lowest bits of columns; what has the same column stays in order.
def by_column [n] (bits: i32) (products: [n](i32, f32)) : [n](i32, f32) =
  loop products for bit < bits do
    let one = map (\(c, _) -> i64.i32 ((c >> bit) & 1)) products
    let ones = scan (+) 0 one
    let zeros = n - (if n == 0 then 0 else ones[n - 1])
    let place = map3 (\i o upto -> if o == 1 then zeros + upto - 1 else i - upto) (iota n) one ones
    in scatter (copy products) place products

def main [rows] [as] [inner] [bs]
         (sizes: [rows]i64)
         (column: [as]i32)
         (value: [as]f32)
         (sizes': [inner]i64)
         (column': [bs]i32)
         (value': [bs]f32) : ([rows]i64, [rows]f32) =
  let ends = scan (+) 0 sizes
  let ends' = scan (+) 0 sizes'
  let bits = 32 - i32.clz (i32.maximum column' |> i32.max 0)
  let row size end =
    let first = end - size
    let upto = scan (+) 0 (map (\i -> sizes'[i64.i32 column[i]]) (first..<end))
    let all = if size == 0 then 0 else upto[size - 1]
    let product p =
      let e = after upto p
      let k = i64.i32 column[first + e]
      let j = ends'[k] - upto[e] + p
      in (column'[j], value[first + e] * value'[j])
    let products = by_column bits (tabulate all product)
    let is_first i = i == 0 || products[i].0 != products[i - 1].0
    let sums =
      scan (\(a, x) (b, y) -> (a || b, if b then y else x + y)) (false, 0) (tabulate all (\i -> (is_first i, products[i].1)))
    let is_last i = i == all - 1 || is_first (i + 1)
    in ( i64.sum (map (\i -> i64.bool (is_first i)) (iota all))
       , f32.sum (map (\i -> if is_last i then sums[i].1 * sums[i].1 else 0) (iota all))
       )
  in unzip (map2 row sizes ends)
