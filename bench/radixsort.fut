-- Sort unsigned keys, two bits at a time from the least significant, by a scan of four counters and a scatter.
--
-- Parallelism: a map, a scan and a scatter in a sequential loop of sixteen rounds. Memory-bound; the hand-written C
-- takes eight bits a round, which a scan cannot carry cheaply.
-- ==
-- "tiny" input { [5u32, 1u32, 4294967295u32, 0u32, 5u32] } output { [0u32, 1u32, 5u32, 5u32, 4294967295u32] }
-- "empty" input { empty([0]u32) } output { empty([0]u32) }
-- "small" input @ data/radixsort/small.in
-- output @ data/radixsort/small.out

type counts = (i64, i64, i64, i64)
def plus ((a, b, c, d): counts) ((e, f, g, h): counts) : counts = (a + e, b + f, c + g, d + h)

def flags (digit: u32) : counts =
  (i64.bool (digit == 0), i64.bool (digit == 1), i64.bool (digit == 2), i64.bool (digit == 3))

def round [n] (keys: [n]u32) (shift: u32) : [n]u32 =
  let digits = map (\k -> (k >> shift) & 3) keys
  let upto = scan plus (0, 0, 0, 0) (map flags digits)
  let (n0, n1, n2, _) = if n == 0 then (0, 0, 0, 0) else last upto
  let place digit ((a, b, c, d): counts) : i64 =
    if digit == 0 then a - 1
    else if digit == 1 then n0 + b - 1
    else if digit == 2 then n0 + n1 + c - 1
    else n0 + n1 + n2 + d - 1
  in scatter (replicate n 0) (map2 place digits upto) keys

def main [n] (keys: [n]u32) : [n]u32 =
  loop keys for i < 16i32 do round keys (u32.i32 (2 * i))
