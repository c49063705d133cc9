-- Rotations of matrices and of arrays of matrices, which element-wise maps read from where they came.
-- ==
-- entry: life
-- input { 1 [[0,1,0,0,0],[0,0,1,0,0],[1,1,1,0,0],[0,0,0,0,0],[0,0,0,0,0]] }
-- output { [[0,0,0,0,0],[1,0,1,0,0],[0,1,1,0,0],[0,1,0,0,0],[0,0,0,0,0]] }
-- input { 20 [[0,1,0,0,0],[0,0,1,0,0],[1,1,1,0,0],[0,0,0,0,0],[0,0,0,0,0]] }
-- output { [[0,1,0,0,0],[0,0,1,0,0],[1,1,1,0,0],[0,0,0,0,0],[0,0,0,0,0]] }
-- input { 2 empty([0][3]i32) }
-- output { empty([0][3]i32) }

-- ==
-- entry: cubes
-- input { [[[1,2],[3,4]],[[5,6],[7,8]],[[9,10],[11,12]]] }
-- output { [[[4,4],[4,4]],[[4,4],[4,4]],[[-8,-8],[-8,-8]]] }

-- ==
-- entry: changed
-- input { [[1,2],[3,4],[5,6]] }
-- output { [[10,11],[8,10],[6,8]] }

-- ==
-- entry: joined
-- input { [[1,2],[3,4]] [[5,6]] }
-- output { [[2,3],[4,5],[6,7]] [9,12] }

-- ==
-- entry: diagonal
-- input { 1 [[1,2,3],[4,5,6]] }
-- output { [[-1,0,7],[2,3,10]] }
-- input { 2 [[1,2,3],[4,5,6],[7,8,10]] }
-- output { [[277,247,282],[-51,-69,-30],[-222,-223,-165]] }
-- input { 1 empty([0][3]i32) }
-- output { empty([0][3]i32) }

def step [n][m] (w: [n][m]i32) : [n][m]i32 =
  let s = map3 (map3 (\a b c -> a + b + c)) (rotate 1 w) w (rotate (-1) w)
  in map4 (map4 (\x a b c -> let k = a + b + c - x in if k == 3 || (k == 2 && x == 1) then 1 else 0))
          w (map (rotate 1) s) s (map (rotate (-1)) s)

entry life [n][m] (k: i32) (w: [n][m]i32) : [n][m]i32 = loop w for _i < k do step w

entry cubes [n][m][k] (w: [n][m][k]i32) : [n][m][k]i32 = map2 (map2 (map2 (-))) (rotate 1 w) w

-- The matrix changes before its rotation is read.
entry changed [n][m] (w: *[n][m]i32) : [n][m]i32 =
  let v = rotate 1 w
  let w = w with [0] = replicate m 7
  in map2 (map2 (+)) v w

entry joined [n][l][m] (a: [n][m]i32) (b: [l][m]i32) : ([][m]i32, [m]i32) =
  let c = a ++ b
  in (map (map (+ 1)) c, reduce (map2 (+)) (replicate m 0) c)

-- Rows and columns are rotated: no matrix is made of either.
entry diagonal [n][m] (k: i32) (w: [n][m]i32) : [n][m]i32 =
  loop w for _i < k do
    let ws = rotate (-1) w
    in map4 (map4 (\x a b c -> x + 2 * a + 3 * b - 5 * c)) w ws (map (rotate 1) ws) (map (rotate (-2)) (rotate 1 w))
