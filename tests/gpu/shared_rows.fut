-- Points that reduce over rows which all of them read: maps of pairs and reductions where that shares enough, else blocks of their own.
-- ==
-- entry: best
-- compiled random input { [100][300]f32 [300][300]f32 } auto output
-- compiled random input { [7][300]f32 [50][300]f32 } auto output
-- compiled random input { [0][300]f32 [50][300]f32 } auto output
-- compiled random input { [40][300]f32 [0][300]f32 } auto output
entry best [n][m][d] (qs: [n][d]f32) (ps: [m][d]f32) =
  map (\q -> reduce (\(i: i64, u: f32) (j, v) -> if u >= v then (i, u) else (j, v)) (-1, -f32.inf) (zip (iota m) (map (\p -> f32.sum (map2 (*) p q)) ps))) qs |> unzip |> (.0)
-- ==
-- entry: own
-- compiled random input { [100][300]i32 [300][300]i32 } auto output
entry own [n][m][d] (qs: [n][d]i32) (ps: [m][d]i32) =
  map (\q -> let s = i32.sum q
             let q = map (+ s) q
             in i32.maximum (map (\p -> i32.sum (map2 (*) p q)) ps)) qs
