-- Which vertices of a graph remain when those with fewer than k remaining neighbours are removed, until there are none. The graph
-- is given by the number of neighbours of each vertex, and by the neighbours of all of them.
--
-- Parallelism: in each step, a map over vertices, each of which counts its neighbours: an irregular nest in a loop.
-- ==
-- "tiny" input { 2i64 [2i64, 2i64, 2i64, 1i64] [1, 2, 0, 2, 0, 1, 0] } output { [true, true, true, false] }
-- "none" input { 1i64 empty([0]i64) empty([0]i32) } output { empty([0]bool) }
-- "small" input @ data/kcore/small.in
-- output @ data/kcore/small.out

def main [vertices] [edges] (k: i64) (sizes: [vertices]i64) (neighbour: [edges]i32) : [vertices]bool =
  let ends = scan (+) 0 sizes
  let (remains, _) =
    loop (remains, more) = (replicate vertices true, true)
    while more do
      let next =
        map3 (\here size end ->
                here && i64.sum (map (\i -> i64.bool remains[i64.i32 neighbour[i]]) ((end - size)..<end)) >= k)
             remains sizes ends
      in (next, or (map2 (!=) next remains))
  in remains
