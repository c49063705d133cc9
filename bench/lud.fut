-- LU decomposition without pivoting, both factors in one matrix (the ones on the lower factor's diagonal left out).
--
-- Blocked, along the diagonal of blocks: decompose the block, solve for the blocks to its right and below, subtract
-- their products from the rest. The steps are strided slices of one flat matrix, updated where they are; a matrix
-- whose size is no multiple of the block's is filled up with ones on the diagonal, which changes nothing.
--
-- Parallelism: in step s of m, one block, then 2 (m-s) blocks, then (m-s)^2 blocks, each of 16 x 16: it varies in every
-- step. A block belongs in a thread block, which intra asks for with attributes where main leaves it to thresholds; the
-- products tile well.
-- ==
-- entry: main intra plain
-- "tiny" input { [[2f32, 1f32, 1f32], [4f32, 3f32, 3f32], [8f32, 7f32, 9f32]] }
-- output { [[2f32, 1f32, 1f32], [2f32, 1f32, 1f32], [4f32, 3f32, 2f32]] }
-- "one" input { [[3f32]] } output { [[3f32]] }
-- "none" input { empty([0][0]f32) } output { empty([0][0]f32) }
-- "small" input @ data/lud/small.in
-- output @ data/lud/small.out

open import "lib/lmad"

def block : i64 = 16

def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

-- Eliminate column after column.
def eliminate [n] (a: [n][n]f32) : *[n][n]f32 =
  loop a = copy a for k < n - 1 do
    let below = tabulate n (\i -> if i > k then a[i, k] / a[k, k] else 0)
    in tabulate_2d n n (\i j ->
         if i > k && j == k then below[i]
         else if i > k && j > k then a[i, j] - below[i] * a[k, j]
         else a[i, j])

-- A block to the right: forward substitution in each column.
def solve_right [b] (lu: [b][b]f32) (blk: [b][b]f32) : [b][b]f32 =
  let solve col =
    loop x = replicate b 0 for i < b do
      let s = loop s = col[i] for k < i do s - lu[i, k] * x[k]
      in x with [i] = s
  in transpose (map solve (transpose blk))

-- A block below: the same in each row, with the upper factor.
def solve_below [b] (lu: [b][b]f32) (blk: [b][b]f32) : [b][b]f32 =
  let solve row =
    loop x = replicate b 0 for j < b do
      let s = loop s = row[j] for k < j do s - x[k] * lu[k, j]
      in x with [j] = s / lu[j, j]
  in map solve blk

def subtract_product [b] (below: [b][b]f32) (right: [b][b]f32) (blk: [b][b]f32) : [b][b]f32 =
  map2 (\row xs -> map2 (\col x -> x - dot row col) (transpose right) xs) below blk

def blocked [k] (intra: bool) (n: i64) (a: *[k]f32) : *[k]f32 =
  let b = block
  let m = n / b
  let factor (a: *[k]f32) (at: i64) : (*[k]f32, [b][b]f32) =
    let blk = flat_index_2d a at b n b 1
    let lu = if intra then (#[incremental_flattening(only_intra)] map eliminate [blk])[0] else eliminate blk
    in (flat_update_2d a at n 1 lu, lu)
  let a =
    loop a for s < m - 1 do
      let at = s * b * n + s * b
      let q = m - s - 1
      let (a, lu) = factor a at
      let blks = flat_index_3d a (at + b) q b b n b 1
      let right =
        if intra then #[incremental_flattening(only_intra)] map (solve_right lu) blks else map (solve_right lu) blks
      let a = flat_update_3d a (at + b) b n 1 right
      let blks = flat_index_3d a (at + b * n) q (b * n) b n b 1
      let below =
        if intra then #[incremental_flattening(only_intra)] map (solve_below lu) blks else map (solve_below lu) blks
      let a = flat_update_3d a (at + b * n) (b * n) n 1 below
      let corner = at + b * n + b
      let rest = flat_index_4d a corner q (b * n) q b b n b 1
      let rest = map2 (\l row -> map2 (subtract_product l) right row) below rest
      in flat_update_4d a corner (b * n) b n 1 rest
  in (factor a ((m - 1) * b * (n + 1))).0

def decompose [n] (intra: bool) (a: [n][n]f32) : [n][n]f32 =
  let full = i64.max 1 ((n + block - 1) / block) * block
  let fill i j = if i < n && j < n then a[i, j] else f32.bool (i == j)
  let lu = blocked intra full (flatten (tabulate_2d full full fill))
  in tabulate_2d n n (\i j -> lu[i * full + j])

entry main [n] (a: [n][n]f32) : [n][n]f32 = decompose false a

entry intra [n] (a: [n][n]f32) : [n][n]f32 = decompose true a

entry plain [n] (a: [n][n]f32) : [n][n]f32 = eliminate a
