-- Operations of the host whose operator needs memory of a size that nobody knows before, and maps in which only slices and
-- concatenation change the size of an array: they are flattened.
-- ==
-- entry: reduced
-- input { [3i64, 7i64, 9i64, 1i64, 0i64] } output { 9i64 }
-- input { empty([0]i64) } output { 0i64 }

-- ==
-- entry: scanned
-- input { [3i64, 7i64, 5i64, 1i64, 9i64, 0i64] } output { [3i64, 7i64, 7i64, 7i64, 9i64, 9i64] }

-- ==
-- entry: mapped
-- input { [3i64, 7i64, 5i64, 1i64, 9i64, 0i64] } auto output

-- ==
-- entry: stacks
-- input { [3i64, 17i64, 5i64, 1i64, 9i64, 0i64] } auto output
-- input { empty([0]i64) } output { empty([0]i64) }

-- ==
-- entry: kept
-- input { [3i64, 17i64, 5i64, 1i64, 9i64, 0i64] } auto output

-- ==
-- entry: written
-- input { [3i64, 17i64, 5i64, 1i64, 9i64, 0i64] } auto output

-- ==
-- entry: rows
-- input { [[3i64, 17i64], [5i64, 1i64], [9i64, 0i64]] } auto output

-- The larger number, by a list of all numbers in between.
def larger (a: i64) (b: i64) : i64 =
  let list = loop list = [a] while length list <= b - a do list ++ [a + length list]
  in last list

entry reduced (ns: []i64) : i64 = reduce larger 0 ns

entry scanned (ns: []i64) : []i64 = scan larger 0 ns

entry mapped (ns: []i64) : (i64, []i64) =
  (reduce larger 0 (map (\n -> n * 5 % 11) ns), scan larger 0 (map (\n -> n * 3 % 7) ns))

-- Ranges that are divided until they are short: as many steps as there are parts.
def parts (n: i64) : i64 =
  let (_, count) =
    loop (stack, count) = ([(0i64, n)], 0i64)
    while not (null stack) do
      let (low, high) = last stack
      let rest = init stack
      in if high - low <= 1 + low % 3
         then (rest, count * 3 + high)
         else let middle = (low + high) / 2
              in (rest ++ [(low, middle), (middle, high)], count)
  in count

entry stacks (ns: []i64) : []i64 = map parts ns

entry kept (ns: []i64) : []i64 = filter (\n -> parts n % 2 == 1) ns

entry written (ns: []i64) : [5]i64 =
  reduce_by_index (replicate 5 0) (+) 0 (map (\n -> parts n %% 5) ns) (map parts ns)

entry rows (nss: [][]i64) : [][]i64 = map (map parts) nss
