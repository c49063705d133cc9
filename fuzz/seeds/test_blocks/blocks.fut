-- text
-- ==
-- tags { no_cuda disable }
-- entry: f g
-- random input { [10][20]i32 u8 } auto output
-- nobench compiled input { [1i32, 2i32] 3 } output { 5i64 empty([0]f32) }
-- input @ data/x.in output @ data/x.out
-- script input { let x = f 1 in (g x, [2i64], {a = $loaddata "x"}) } error: Index.*
-- structure gpu { SegMap 2 }

-- ==
-- error: type
def f = 1
