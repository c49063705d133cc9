-- | Slices of an array of one dimension by strides: an offset, then a size and a
-- stride for each dimension. Taking such a slice costs nothing, and an update
-- writes only the elements of the slice. Both check once that all elements are
-- inside of the array.
--
-- Element `[i][j]` of `flat_index_2d xs offset n1 s1 n2 s2` is
-- `xs[offset + i * s1 + j * s2]`. In a matrix with `n` columns, given as one array
-- of its rows, `flat_index_2d xs 0 k (n + 1) 1 1` is the diagonal as a column.

-- | Whether the elements of a slice with these sizes and strides are all at
-- different places. Of fewer dimensions, the others have size one.
def flat_distinct (n1: i64, s1: i64) (n2: i64, s2: i64) (n3: i64, s3: i64) (n4: i64, s4: i64) : bool =
  let size (s: i64) = if s < 0 then -s else s
  let reach (n: i64) (s: i64) (within: i64) = if size s <= within then (n - 1) * size s else 0
  let (a1, a2, a3, a4) = (size s1, size s2, size s3, size s4)
  -- Each stride leaps over all that smaller strides reach.
  let nested =
    (n1 <= 1 || a1 > reach n2 s2 a1 + reach n3 s3 a1 + reach n4 s4 a1)
    && (n2 <= 1 || a2 > reach n1 s1 a2 + reach n3 s3 a2 + reach n4 s4 a2)
    && (n3 <= 1 || a3 > reach n1 s1 a3 + reach n2 s2 a3 + reach n4 s4 a3)
    && (n4 <= 1 || a4 > reach n1 s1 a4 + reach n2 s2 a4 + reach n3 s3 a4)
  -- Else two indices must not differ by steps that cancel each other.
  let cancels (i: i64): bool =
    let (w2, w3) = (2 * n2 - 1, 2 * n3 - 1)
    let (d1, d2, d3) = (i / (w2 * w3) - n1 + 1, (i / w3) % w2 - n2 + 1, i % w3 - n3 + 1)
    let way = d1 * s1 + d2 * s2 + d3 * s3
    in if s4 == 0
       then way == 0 && (n4 > 1 || d1 != 0 || d2 != 0 || d3 != 0)
       else way % s4 == 0 && size (way / s4) < n4 && (d1 != 0 || d2 != 0 || d3 != 0)
  in n1 <= 0 || n2 <= 0 || n3 <= 0 || n4 <= 0 || nested
     || !(intrinsics.reduce (\x y -> x || y)
                            false
                            (intrinsics.map cancels
                                            (intrinsics.iota ((2 * n1 - 1) * (2 * n2 - 1) * (2 * n3 - 1)))))

-- | A slice in two dimensions: the offset, then size and stride of each.
#[inline]
def flat_index_2d [n] 't (xs: [n]t) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64) : [n1][n2]t =
  intrinsics.flat_index_2d xs offset n1 s1 n2 s2 :> [n1][n2]t

-- | A slice in three dimensions.
#[inline]
def flat_index_3d [n] 't
                  (xs: [n]t)
                  (offset: i64)
                  (n1: i64)
                  (s1: i64)
                  (n2: i64)
                  (s2: i64)
                  (n3: i64)
                  (s3: i64) : [n1][n2][n3]t =
  intrinsics.flat_index_3d xs offset n1 s1 n2 s2 n3 s3 :> [n1][n2][n3]t

-- | A slice in four dimensions.
#[inline]
def flat_index_4d [n] 't
                  (xs: [n]t)
                  (offset: i64)
                  (n1: i64)
                  (s1: i64)
                  (n2: i64)
                  (s2: i64)
                  (n3: i64)
                  (s3: i64)
                  (n4: i64)
                  (s4: i64) : [n1][n2][n3][n4]t =
  intrinsics.flat_index_4d xs offset n1 s1 n2 s2 n3 s3 n4 s4 :> [n1][n2][n3][n4]t

-- | The array with the elements of a slice replaced: the offset, and the stride of
-- each dimension of the values. Two values for the same place are an error.
#[inline]
def flat_update_2d [n] [k] [l] 't (xs: *[n]t) (offset: i64) (s1: i64) (s2: i64) (vs: [k][l]t) : *[n]t =
  let values_have_different_places = flat_distinct (k, s1) (1, 0) (1, 0) (l, s2)
  let offset = assert values_have_different_places offset
  in intrinsics.flat_update_2d xs offset s1 s2 vs

-- | As `flat_update_2d`, in three dimensions.
#[inline]
def flat_update_3d [n] [k] [l] [p] 't
                   (xs: *[n]t)
                   (offset: i64)
                   (s1: i64)
                   (s2: i64)
                   (s3: i64)
                   (vs: [k][l][p]t) : *[n]t =
  let values_have_different_places = flat_distinct (k, s1) (l, s2) (1, 0) (p, s3)
  let offset = assert values_have_different_places offset
  in intrinsics.flat_update_3d xs offset s1 s2 s3 vs

-- | As `flat_update_2d`, in four dimensions.
#[inline]
def flat_update_4d [n] [k] [l] [p] [q] 't
                   (xs: *[n]t)
                   (offset: i64)
                   (s1: i64)
                   (s2: i64)
                   (s3: i64)
                   (s4: i64)
                   (vs: [k][l][p][q]t) : *[n]t =
  let values_have_different_places = flat_distinct (k, s1) (l, s2) (p, s3) (q, s4)
  let offset = assert values_have_different_places offset
  in intrinsics.flat_update_4d xs offset s1 s2 s3 s4 vs
