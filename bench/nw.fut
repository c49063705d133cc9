-- Needleman-Wunsch alignment: the score matrix of two sequences, given how similar each pair of letters is and what a
-- gap costs. A cell needs its neighbours above, to the left and diagonally above.
--
-- main works on blocks of 16 x 16 along the antidiagonals of blocks, as strided slices of one flat matrix: a block
-- reads a row above and a column to the left, and is written in place once the compiler has shown that no slice read
-- overlaps a slice written. Needs a size that is a multiple of 16. intra is the same with an attribute that asks for a thread
-- block for each block. wavefront takes one antidiagonal of cells at a time.
--
-- Parallelism: main has up to n/16 blocks with up to 16 cells each in a step, and wants a block in a thread block's
-- shared memory, which the default thresholds do not choose (16 threads are few) and tuned ones, or intra, do;
-- wavefront has up to n cells in a step, 2n steps, and scattered reads and writes. intra wins on GPUs.
-- ==
-- entry: wavefront
-- "tiny" input { 1 [[1, -1], [-1, 1]] } output { [[0, -1, -2], [-1, 1, 0], [-2, 0, 2]] }
-- "none" input { 1 empty([0][0]i32) } output { [[0]] }

-- ==
-- entry: main intra wavefront
-- "small" input @ data/nw/small.in
-- output @ data/nw/small.out

open import "lib/lmad"

def block : i64 = 16

def cell (penalty: i32) (diagonal: i32) (left: i32) (up: i32) (similarity: i32) : i32 =
  i32.max (diagonal + similarity) (i32.max (left - penalty) (up - penalty))

-- The matrix with only its first row and column filled in.
def borders (n: i64) (penalty: i32) : *[(n + 1) * (n + 1)]i32 =
  let cost k = -penalty * i32.i64 k
  in tabulate_2d (n + 1) (n + 1) (\i j -> if i == 0 then cost j else if j == 0 then cost i else 0) |> flatten

-- A block from the column to its left (with the corner) and the row above.
def fill [b] (penalty: i32) (left: [b + 1]i32) (up: [b]i32) (sims: [b][b]i32) : [b][b]i32 =
  let m =
    tabulate_2d (b + 1) (b + 1) (\i j -> if j == 0 then left[i] else if i == 0 then up[j - 1] else 0)
  let m =
    loop m for d < 2 * b - 1 do
      let one t =
        let (i, j) = (t + 1, d - t + 1)
        in if j < 1 || j > b then ((-1, -1), 0)
           else ((i, j), cell penalty m[i - 1, j - 1] m[i, j - 1] m[i - 1, j] sims[i - 1, j - 1])
      let (is, vs) = unzip (tabulate b one)
      in scatter_2d m is vs
  in tabulate_2d b b (\i j -> m[i + 1, j + 1])

-- The q blocks on an antidiagonal that starts with the block in row r and column c.
def antidiagonal [k] [l] (intra: bool) (n: i64) (penalty: i32) (sims: [l]i32) (m: *[k]i32)
                         (q: i64) (r: i64) (c: i64) : *[k]i32 =
  let b = block
  let row = n + 1
  let at = r * b * row + c * b
  let next = b * row - b
  let left = flat_index_2d m at q next (b + 1) row
  let up = flat_index_2d m (at + 1) q next b 1
  let sim = flat_index_3d sims (r * b * n + c * b) q (b * n - b) b n b 1
  let filled =
    if intra
    then #[incremental_flattening(only_intra)] map3 (fill penalty) left up sim
    else map3 (fill penalty) left up sim
  in flat_update_3d m (at + row + 1) next row 1 filled

def blocked [n] (intra: bool) (penalty: i32) (similarities: [n][n]i32) : [n + 1][n + 1]i32 =
  let blocks = assert (n % block == 0) (n / block)
  let sims = flatten similarities
  let m = borders n penalty
  let m = loop m for i < blocks do antidiagonal intra n penalty sims m (i + 1) 0 i
  let m = loop m for i < blocks - 1 do antidiagonal intra n penalty sims m (blocks - 1 - i) (i + 1) (blocks - 1)
  in unflatten m

entry main [n] (penalty: i32) (similarities: [n][n]i32) : [n + 1][n + 1]i32 = blocked false penalty similarities

entry intra [n] (penalty: i32) (similarities: [n][n]i32) : [n + 1][n + 1]i32 = blocked true penalty similarities

entry wavefront [n] (penalty: i32) (similarities: [n][n]i32) : [n + 1][n + 1]i32 =
  let row = n + 1
  let m =
    loop m = borders n penalty for d < 2 * n - 1 do
      let first = i64.max 0 (d - n + 1)
      let one t =
        let i = first + t
        let at = i * row + (d - i)
        in (at + row + 1, cell penalty m[at] m[at + row] m[at + 1] similarities[i, d - i])
      let (is, vs) = unzip (tabulate (i64.min d (n - 1) - first + 1) one)
      in scatter m is vs
  in unflatten m
