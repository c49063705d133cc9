-- | Operations that apply functions to whole arrays: the way to write parallel
-- programs. Operators given to `reduce`, `scan` and their kin must be
-- associative, and the given neutral element must be neutral for them;
-- nobody checks this.

import "functional"
import "array"

-- | Apply a function to each element.
def map 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x =
  intrinsics.map f as

-- | The same as `map`.
def map1 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x =
  intrinsics.map f as

-- | Apply a function to corresponding elements of two arrays.
def map2 'a 'b [n] 'x (f: a -> b -> x) (as: [n]a) (bs: [n]b) : *[n]x =
  intrinsics.map (\(a, b) -> f a b) (intrinsics.zip as bs)

-- | Apply a function to corresponding elements of three arrays.
def map3 'a 'b 'c [n] 'x (f: a -> b -> c -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n]x =
  intrinsics.map (\((a, b), c) -> f a b c) (intrinsics.zip (intrinsics.zip as bs) cs)

-- | Apply a function to corresponding elements of four arrays.
def map4 'a 'b 'c 'd [n] 'x
         (f: a -> b -> c -> d -> x)
         (as: [n]a)
         (bs: [n]b)
         (cs: [n]c)
         (ds: [n]d) : *[n]x =
  intrinsics.map (\((a, b), (c, d)) -> f a b c d)
                 (intrinsics.zip (intrinsics.zip as bs) (intrinsics.zip cs ds))

-- | Apply a function to corresponding elements of five arrays.
def map5 'a 'b 'c 'd 'e [n] 'x
         (f: a -> b -> c -> d -> e -> x)
         (as: [n]a)
         (bs: [n]b)
         (cs: [n]c)
         (ds: [n]d)
         (es: [n]e) : *[n]x =
  intrinsics.map (\(((a, b), (c, d)), e) -> f a b c d e)
                 (intrinsics.zip (intrinsics.zip (intrinsics.zip as bs) (intrinsics.zip cs ds)) es)

-- | Combine all elements with an associative operator; the neutral element for
-- an empty array.
def reduce [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : a =
  intrinsics.reduce op ne as

-- | As `reduce`, for an operator that is commutative too, which is faster.
-- Operators such as `+` are known to be commutative anyway.
def reduce_comm [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : a =
  intrinsics.reduce_comm op ne as

-- | All prefixes combined: element `i` of the result combines the elements up
-- to and including `i`.
def scan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a =
  intrinsics.scan op ne as

-- | As `scan`, but element `i` of the result does not include element `i`.
def exscan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a =
  let sums = intrinsics.scan op ne as
  in intrinsics.map (\i -> if i == 0 then ne else sums[i - 1]) (intrinsics.iota n)

-- | Combine each value into the place of `dest` that its index tells, with an
-- associative and commutative operator. Indexes out of bounds are ignored.
def reduce_by_index 'a [k] [n]
                    (dest: *[k]a)
                    (f: a -> a -> a)
                    (ne: a)
                    (is: [n]i64)
                    (as: [n]a) : *[k]a =
  intrinsics.hist_1d dest f ne is as

-- | As `reduce_by_index`, with two indexes.
def reduce_by_index_2d 'a [k] [n] [m]
                       (dest: *[k][m]a)
                       (f: a -> a -> a)
                       (ne: a)
                       (is: [n](i64, i64))
                       (as: [n]a) : *[k][m]a =
  intrinsics.hist_2d dest f ne is as

-- | As `reduce_by_index`, with three indexes.
def reduce_by_index_3d 'a [k] [n] [m] [l]
                       (dest: *[k][m][l]a)
                       (f: a -> a -> a)
                       (ne: a)
                       (is: [n](i64, i64, i64))
                       (as: [n]a) : *[k][m][l]a =
  intrinsics.hist_3d dest f ne is as

-- | A histogram of `k` bins: `reduce_by_index` into an array of neutral
-- elements.
def hist 'a [n] (op: a -> a -> a) (ne: a) (k: i64) (is: [n]i64) (as: [n]a) : *[k]a =
  intrinsics.hist_1d (intrinsics.replicate k ne) op ne is as

-- | Write each value to the place of `dest` that its index tells. Indexes out
-- of bounds are ignored; if several values go to one place they should be
-- equal, or it is not known which one wins.
def scatter 't [k] [n] (dest: *[k]t) (is: [n]i64) (vs: [n]t) : *[k]t =
  intrinsics.scatter dest is vs

-- | As `scatter`, with two indexes.
def scatter_2d 't [k] [n] [l] (dest: *[k][n]t) (is: [l](i64, i64)) (vs: [l]t) : *[k][n]t =
  intrinsics.scatter_2d dest is vs

-- | As `scatter`, with three indexes.
def scatter_3d 't [k] [n] [o] [l]
               (dest: *[k][n][o]t)
               (is: [l](i64, i64, i64))
               (vs: [l]t) : *[k][n][o]t =
  intrinsics.scatter_3d dest is vs

-- | An array of `k` elements with the given values at the given places and
-- `x` elsewhere.
def spread 't [n] (k: i64) (x: t) (is: [n]i64) (vs: [n]t) : *[k]t =
  intrinsics.scatter (intrinsics.replicate k x) is vs

-- | Whether the predicate holds for every element.
def all [n] 'a (f: a -> bool) (as: [n]a) : bool =
  intrinsics.reduce (\x y -> x && y) true (intrinsics.map f as)

-- | Whether the predicate holds for some element.
def any [n] 'a (f: a -> bool) (as: [n]a) : bool =
  intrinsics.reduce (\x y -> x || y) false (intrinsics.map f as)

-- | The elements for which the predicate holds, in order.
def filter [n] 'a (p: a -> bool) (as: [n]a) : *[]a =
  intrinsics.filter p as

-- | The elements for which the predicate holds, and the others; each in order.
def partition [n] 'a (p: a -> bool) (as: [n]a) : ?[k].([k]a, [n - k]a) =
  intrinsics.partition p as

-- | The elements for which the first predicate holds, those of the others for
-- which the second does, and the rest; each in order.
def partition2 [n] 'a (p1: a -> bool) (p2: a -> bool) (as: [n]a) : ?[k][l].([k]a, [l]a, [n - k - l]a) =
  intrinsics.partition2 p1 p2 as

-- | Apply a function that gives an array and a value to each element. The
-- arrays may differ in size. The results are: the size of each array; for each
-- element of the joined array, whether one of the arrays starts there; where
-- each array starts; the joined array; and the values.
def flatmap [n] 'a 'b 'c
            (f: a -> ?[m].([m]b, c))
            (as: [n]a) : ?[k].(*[n]i64, *[k]bool, *[n]i64, *[k]b, *[n]c) =
  intrinsics.flatmap f as

-- | As `flatmap`, for functions that only give an array.
def flatmap' [n] 'a 'b
             (f: a -> ?[m].[m]b)
             (as: [n]a) : ?[k].(*[n]i64, *[k]bool, *[n]i64, *[k]b) =
  let (shape, flags, offsets, bs, _) = intrinsics.flatmap (\x -> (f x, ())) as
  in (shape, flags, offsets, bs)
