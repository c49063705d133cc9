-- Pieces of different sizes.
-- ==
-- input { [2i64,0,3] } output { [0i64,1,0,1,2] [true,false,true,false,false] [0i64,2,2] }

entry main (ns: []i64) =
  let (_, flags, offsets, xs) = flatmap' iota ns
  in (xs, flags, offsets)
