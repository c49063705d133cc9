-- Loops that ask for each bit of a word: fewer than it has, all of them, and more, for which the place is zero.
-- ==
-- entry: places
-- input { 7i64 [1i32, 2i32, 4i32, 8i32, 16i32] } auto output
-- input { 0i64 [1i32, 2i32, 4i32, 8i32, 16i32] } auto output
-- input { 20i64 empty([0]i32) } auto output

entry places [k] (n: i64) (vs: [k]i32) : [n]i32 =
  tabulate n (\i ->
                let x = i32.i64 i
                let x = x ^ (x << 5)
                in loop s = 0
                   for j < k do
                     let t = 1 << i32.i64 j
                     in if x & t == t then s ^ vs[j] else s)

-- ==
-- entry: many
-- input { 1i64 } auto output
-- input { 30i64 } auto output
-- input { 32i64 } auto output
-- input { 45i64 } auto output
-- input { 64i64 } auto output
-- input { 71i64 } auto output

entry many (k: i64) : ([40]i32, [40]i64, [40]i32, [40]u8) =
  let bits x =
    loop (a, b) = (0, 0)
    for j < i32.i64 k do
      ( if x & (1 << j) == 1 << j then a * 3 + j else a
      , if x & (1 << j) == 0 then b * 5 + j else b
      )
  let shifted (x: i64) = loop a = 0 for j < k do if (x >> j) & 1 == 1 then a * 3 + j else a - 1
  let backwards (x: i32) = loop a = 0 for j < k do if 0 == (x >> i32.i64 j) & 1 then a * 7 + 1 else a + 3
  let narrow (x: u8) = loop a = 0 for j < k do if x & (1 << u8.i64 j) != 0 then a + u8.i64 j else a * 3
  let word i = i32.i64 (i * 123456789123)
  in ( tabulate 40 (\i -> let (a, b) = bits (word i) in a ^ b)
     , tabulate 40 (\i -> shifted (i * 1234567891234567891))
     , tabulate 40 (\i -> backwards (word i))
     , tabulate 40 (\i -> narrow (u8.i64 (i * 37)))
     )
