-- The distance of each vertex of a graph from vertex 0, or -1. The graph is given by the number of neighbours of each vertex,
-- and by the neighbours of all of them.
--
-- Parallelism: in each step, a map over vertices, each of which looks at all its neighbours: an irregular nest in a loop.
-- ==
-- "tiny" input { [1i64, 1i64, 2i64, 0i64] [1, 0, 0, 1] } output { [0, 1, 1, -1] }
-- "small" input @ data/bfs/small.in
-- output @ data/bfs/small.out

def main [vertices] [edges] (sizes: [vertices]i64) (neighbour: [edges]i32) : [vertices]i32 =
  let ends = scan (+) 0 sizes
  let start = tabulate vertices (\v -> if v == 0 then 0i32 else -1)
  let (distances, _, _) =
    loop (distances, step, more) = (start, 0i32, true)
    while more do
      let next =
        map3 (\distance size end ->
                if distance >= 0
                then distance
                else let reached = or (map (\i -> distances[i64.i32 neighbour[i]] == step) ((end - size)..<end))
                     in if reached then step + 1 else -1)
             distances sizes ends
      in (next, step + 1, or (map2 (!=) next distances))
  in distances
