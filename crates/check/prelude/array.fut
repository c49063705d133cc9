-- | Making arrays, taking them apart, and putting them in another shape.

-- | The number of elements.
#[inline]
def length [n] 't (_: [n]t) : i64 = n

-- | Whether the array is empty.
#[inline]
def null [n] 't (_: [n]t) : bool = n == 0

-- | The first element.
#[inline]
def head [n] 't (x: [n]t) : t = x[0]

-- | The last element.
#[inline]
def last [n] 't (x: [n]t) : t = x[n - 1]

-- | All but the first element.
#[inline]
def tail [n] 't (x: [n]t) : [n - 1]t = x[1:]

-- | All but the last element.
#[inline]
def init [n] 't (x: [n]t) : [n - 1]t = x[0:n - 1]

-- | The first `i` elements.
#[inline]
def take [n] 't (i: i64) (x: [n]t) : [i]t = x[0:i]

-- | All but the first `i` elements.
#[inline]
def drop [n] 't (i: i64) (x: [n]t) : [n - i]t = x[i:]

-- | The array cut in two; the sizes come from how the result is used.
#[inline]
def split [n] [m] 't (xs: [n + m]t) : ([n]t, [m]t) =
  (xs[0:n], xs[n:] :> [m]t)

-- | The elements from last to first.
#[inline]
def reverse [n] 't (x: [n]t) : [n]t = x[::-1]

-- | Joins two arrays.
#[inline]
def (++) [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t =
  intrinsics.concat xs ys

-- | Joins two arrays; the same as `++`.
#[inline]
def concat [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t =
  intrinsics.concat xs ys

-- | The array with its size checked to be `n`.
#[inline]
def sized [m] 't (n: i64) (xs: [m]t) : [n]t = xs :> [n]t

-- | The elements moved `r` places towards the front, those at the front coming
-- back in at the end.
#[inline]
def rotate [n] 't (r: i64) (a: [n]t) : *[n]t =
  intrinsics.rotate r a

-- | The numbers from 0 to `n-1`.
#[inline]
def iota (n: i64) : *[n]i64 = intrinsics.iota n

-- | The indexes of the array's elements.
#[inline]
def indices [n] 't (_: [n]t) : *[n]i64 = intrinsics.iota n

-- | An array of `n` times the same value.
#[inline]
def replicate 't (n: i64) (x: t) : *[n]t = intrinsics.replicate n x

-- | As `replicate`, of a size that comes from how the result is used.
#[inline]
def rep 't [n] (x: t) : *[n]t = intrinsics.replicate n x

-- | A value that shares no memory with the given one.
#[inline]
def copy 't (a: t) : *t = intrinsics.copy a

-- | As `copy`, and moreover stored in memory in row-major order.
#[inline]
def manifest 't (a: t) : *t = intrinsics.manifest a

-- | Rows become columns.
#[inline]
def transpose [n] [m] 't (a: [n][m]t) : [m][n]t = intrinsics.transpose a

-- | The rows joined.
#[inline]
def flatten [n] [m] 't (xs: [n][m]t) : [n * m]t = intrinsics.flatten xs

-- | As `flatten`, for three dimensions.
#[inline]
def flatten_3d [n] [m] [l] 't (xs: [n][m][l]t) : [n * m * l]t =
  flatten (flatten xs)

-- | As `flatten`, for four dimensions.
#[inline]
def flatten_4d [n] [m] [l] [k] 't (xs: [n][m][l][k]t) : [n * m * l * k]t =
  flatten (flatten_3d xs)

-- | The array cut in rows; the sizes come from how the result is used.
#[inline]
def unflatten 't [n] [m] (xs: [n * m]t) : [n][m]t =
  intrinsics.unflatten n m xs

-- | As `unflatten`, to three dimensions.
#[inline]
def unflatten_3d 't [n] [m] [l] (xs: [n * m * l]t) : [n][m][l]t =
  intrinsics.unflatten n m (intrinsics.unflatten (n * m) l xs)

-- | As `unflatten`, to four dimensions.
#[inline]
def unflatten_4d 't [n] [m] [l] [k] (xs: [n * m * l * k]t) : [n][m][l][k]t =
  unflatten_3d (intrinsics.unflatten (n * m * l) k xs)

-- | Whether all elements are true.
def and [n] (xs: [n]bool) : bool =
  intrinsics.reduce (\x y -> x && y) true xs

-- | Whether some element is true.
def or [n] (xs: [n]bool) : bool =
  intrinsics.reduce (\x y -> x || y) false xs

-- | The array whose element `i` is `f i`.
#[inline]
def tabulate 'a (n: i64) (f: i64 -> a) : *[n]a =
  intrinsics.map f (intrinsics.iota n)

-- | As `tabulate`, in two dimensions.
#[inline]
def tabulate_2d 'a (n: i64) (m: i64) (f: i64 -> i64 -> a) : *[n][m]a =
  intrinsics.map (\i -> intrinsics.map (\j -> f i j) (intrinsics.iota m)) (intrinsics.iota n)

-- | As `tabulate`, in three dimensions.
#[inline]
def tabulate_3d 'a (n: i64) (m: i64) (o: i64) (f: i64 -> i64 -> i64 -> a) : *[n][m][o]a =
  intrinsics.map (\i ->
                    intrinsics.map (\j -> intrinsics.map (\k -> f i j k) (intrinsics.iota o))
                                   (intrinsics.iota m))
                 (intrinsics.iota n)

-- | Go through the elements from the first to the last, one after another.
#[inline]
def foldl [n] 'a 'b (f: a -> b -> a) (acc: a) (bs: [n]b) : a =
  loop acc for b in bs do f acc b

-- | Go through the elements from the last to the first, one after another.
#[inline]
def foldr [n] 'a 'b (f: b -> a -> a) (acc: a) (bs: [n]b) : a =
  loop acc for b in reverse bs do f b acc
