-- | Several arrays to one array of tuples, and back. A zipped array is a new
-- one, which may be updated in place; the copy vanishes where nobody does.

-- | Corresponding elements of two arrays, paired.
#[inline]
def zip [n] 'a 'b (as: [n]a) (bs: [n]b) : *[n](a, b) =
  intrinsics.map (\x -> x) (intrinsics.zip as bs)

-- | The same as `zip`.
#[inline]
def zip2 [n] 'a 'b (as: [n]a) (bs: [n]b) : *[n](a, b) =
  zip as bs

-- | As `zip`, for three arrays.
#[inline]
def zip3 [n] 'a 'b 'c (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n](a, b, c) =
  intrinsics.map (\((a, b), c) -> (a, b, c)) (intrinsics.zip (intrinsics.zip as bs) cs)

-- | As `zip`, for four arrays.
#[inline]
def zip4 [n] 'a 'b 'c 'd (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) : *[n](a, b, c, d) =
  intrinsics.map (\((a, b), (c, d)) -> (a, b, c, d)) (intrinsics.zip (intrinsics.zip as bs) (intrinsics.zip cs ds))

-- | As `zip`, for five arrays.
#[inline]
def zip5 [n] 'a 'b 'c 'd 'e
         (as: [n]a)
         (bs: [n]b)
         (cs: [n]c)
         (ds: [n]d)
         (es: [n]e) : *[n](a, b, c, d, e) =
  intrinsics.map (\(((a, b), (c, d)), e) -> (a, b, c, d, e)) (zip (intrinsics.zip (intrinsics.zip as bs) (intrinsics.zip cs ds)) es)

-- | The first and the second components.
#[inline]
def unzip [n] 'a 'b (xs: [n](a, b)) : ([n]a, [n]b) =
  intrinsics.unzip xs

-- | The same as `unzip`.
#[inline]
def unzip2 [n] 'a 'b (xs: [n](a, b)) : ([n]a, [n]b) =
  intrinsics.unzip xs

-- | As `unzip`, for triples.
#[inline]
def unzip3 [n] 'a 'b 'c (xs: [n](a, b, c)) : ([n]a, [n]b, [n]c) =
  let (as, bcs) = unzip (intrinsics.map (\(a, b, c) -> (a, (b, c))) xs)
  let (bs, cs) = unzip bcs
  in (as, bs, cs)

-- | As `unzip`, for tuples of four.
#[inline]
def unzip4 [n] 'a 'b 'c 'd (xs: [n](a, b, c, d)) : ([n]a, [n]b, [n]c, [n]d) =
  let (as, bs, cds) = unzip3 (intrinsics.map (\(a, b, c, d) -> (a, b, (c, d))) xs)
  let (cs, ds) = unzip cds
  in (as, bs, cs, ds)

-- | As `unzip`, for tuples of five.
#[inline]
def unzip5 [n] 'a 'b 'c 'd 'e (xs: [n](a, b, c, d, e)) : ([n]a, [n]b, [n]c, [n]d, [n]e) =
  let (as, bs, cs, des) = unzip4 (intrinsics.map (\(a, b, c, d, e) -> (a, b, c, (d, e))) xs)
  let (ds, es) = unzip des
  in (as, bs, cs, ds, es)
