def main (n: i64) =
  let spare = iota n
  in loop cur = iota n for i < n do
       let cur[0] = i
       in if i > 2 then cur else spare
