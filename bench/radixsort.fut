-- Sort unsigned keys (fewer than 2^31), eight bits at a time from the least significant: chunks of keys are counted by
-- digit, a scan over digits and then chunks says where the keys of each chunk with each digit begin, and each chunk
-- deals out its places in order.
--
-- Parallelism: chunks, with sequential loops inside, then a scatter; in a sequential loop of four rounds. The scan is of
-- 256 numbers for each chunk of at least 8192 keys, so that it costs little. Memory-bound: the hand-written C does the
-- same with one chunk, and writes keys where this writes their places first.
-- ==
-- "tiny" input { [5u32, 1u32, 4294967295u32, 0u32, 5u32] } output { [0u32, 1u32, 5u32, 5u32, 4294967295u32] }
-- "empty" input { empty([0]u32) } output { empty([0]u32) }
-- "one" input { [7u32] } output { [7u32] }
-- "small" input @ data/radixsort/small.in
-- output @ data/radixsort/small.out

def digit (shift: u32) (key: u32) : i64 = i64.u32 ((key >> shift) & 255)

-- How many keys have each digit.
def count [n] (shift: u32) (keys: [n]u32) : [256]i32 =
  loop counts = replicate 256 0 for key in keys do
    let d = digit shift key
    in counts with [d] = counts[d] + 1

-- Where the keys of each chunk with each digit begin.
def starts [c] (counts: [c][256]i32) : [c][256]i32 =
  let by_digit = flatten (transpose counts)
  let upto = scan (+) 0 by_digit
  in transpose (unflatten (map2 (-) upto by_digit))

-- Where each key of a chunk goes.
def places [n] (shift: u32) (starts: [256]i32) (keys: [n]u32) : [n]i32 =
  let next = copy starts
  let places = replicate n 0
  let (_, places) =
    loop (next, places) for i < n do
      let d = digit shift keys[i]
      let places = places with [i] = next[d]
      in (next with [d] = next[d] + 1, places)
  in places

def round [c] [n] (chunks: [c][n]u32) (shift: u32) : [c][n]u32 =
  let firsts = starts (map (count shift) chunks)
  let to = flatten (map2 (places shift) firsts chunks)
  in unflatten (scatter (replicate (c * n) 0) (map i64.i32 to) (flatten chunks))

-- The last chunk is filled up with the largest keys, which stay at the end.
def main [n] (keys: [n]u32) : [n]u32 =
  let c = i64.max 1 (n / 8192)
  let size = (n + c - 1) / c
  let filled = keys ++ replicate (c * size - n) u32.highest :> [c * size]u32
  let sorted = loop chunks = unflatten filled for i < 4i32 do round chunks (u32.i32 (8 * i))
  in take n (flatten sorted)
