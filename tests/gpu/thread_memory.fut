-- Threads that have arrays of their own of a size that is known only when the program runs.
-- ==
-- input { 1000i64 300i64 } output { 46200i64 }
-- input { 1i64 5i64 } output { 24760i64 }

def main (n: i64) (points: i64) : i64 =
  i64.sum (map (\p -> (loop a = replicate n p for i < 100 do
                         let j = (i * 7919 + p) % n
                         in a with [j] = a[(j + i) % n] + i)[(p * 31) % n]) (iota points))
