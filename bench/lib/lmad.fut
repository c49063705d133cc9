-- Slices of a flat array by strides: an offset, then a size and a stride for each dimension. The compiler knows these
-- as index functions: taking one is free, and updating one can be done in place.

def flat_index_2d [n] 'a (xs: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64) : [n1][n2]a =
  intrinsics.flat_index_2d xs offset n1 s1 n2 s2 :> [n1][n2]a

def flat_index_3d [n] 'a (xs: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64)
                         (n3: i64) (s3: i64) : [n1][n2][n3]a =
  intrinsics.flat_index_3d xs offset n1 s1 n2 s2 n3 s3 :> [n1][n2][n3]a

def flat_index_4d [n] 'a (xs: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64)
                         (n3: i64) (s3: i64) (n4: i64) (s4: i64) : [n1][n2][n3][n4]a =
  intrinsics.flat_index_4d xs offset n1 s1 n2 s2 n3 s3 n4 s4 :> [n1][n2][n3][n4]a

def flat_update_2d [n] [k] [l] 'a (xs: *[n]a) (offset: i64) (s1: i64) (s2: i64) (vs: [k][l]a) : *[n]a =
  intrinsics.flat_update_2d xs offset s1 s2 vs

def flat_update_3d [n] [k] [l] [p] 'a (xs: *[n]a) (offset: i64) (s1: i64) (s2: i64) (s3: i64)
                                      (vs: [k][l][p]a) : *[n]a =
  intrinsics.flat_update_3d xs offset s1 s2 s3 vs

def flat_update_4d [n] [k] [l] [p] [q] 'a (xs: *[n]a) (offset: i64) (s1: i64) (s2: i64) (s3: i64) (s4: i64)
                                          (vs: [k][l][p][q]a) : *[n]a =
  intrinsics.flat_update_4d xs offset s1 s2 s3 s4 vs
