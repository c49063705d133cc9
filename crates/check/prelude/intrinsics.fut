-- What the compiler itself provides, under the name `intrinsics`. The checker
-- reads this module type and makes the module out of it. Operators and
-- functions that work on several scalar types are not here, since their types
-- cannot be written: see crates/check/src/intrinsics.rs.
--
-- This is for the prelude's use. Programs should call the prelude.

module type intrinsics = {
  -- Second-order operations.
  val map [n] 'a 'b : (a -> b) -> [n]a -> *[n]b
  val reduce [n] 'a : (a -> a -> a) -> a -> [n]a -> a
  val reduce_comm [n] 'a : (a -> a -> a) -> a -> [n]a -> a
  val scan [n] 'a : (a -> a -> a) -> a -> [n]a -> *[n]a
  val filter [n] 'a : (a -> bool) -> [n]a -> ?[m].*[m]a

  -- The elements for which the first predicate holds, those of the others for
  -- which the second does, and the rest; each in order.
  val partition [n] 'a : (a -> bool) -> [n]a -> ?[k].(*[k]a, *[n - k]a)
  val partition2 [n] 'a
    : (a -> bool) -> (a -> bool) -> [n]a -> ?[k][l].(*[k]a, *[l]a, *[n - k - l]a)

  val scatter [k] [n] 'a : *[k]a -> [n]i64 -> [n]a -> *[k]a
  val scatter_2d [k] [l] [n] 'a : *[k][l]a -> [n](i64, i64) -> [n]a -> *[k][l]a
  val scatter_3d [k] [l] [m] [n] 'a : *[k][l][m]a -> [n](i64, i64, i64) -> [n]a -> *[k][l][m]a
  val hist_1d [k] [n] 'a : *[k]a -> (a -> a -> a) -> a -> [n]i64 -> [n]a -> *[k]a
  val hist_2d [k] [l] [n] 'a : *[k][l]a -> (a -> a -> a) -> a -> [n](i64, i64) -> [n]a -> *[k][l]a
  val hist_3d [k] [l] [m] [n] 'a
    : *[k][l][m]a -> (a -> a -> a) -> a -> [n](i64, i64, i64) -> [n]a -> *[k][l][m]a

  -- `flatmap f xs`: sizes of the pieces, flags of where they start, their
  -- offsets, the pieces one after another, and the other results of `f`.
  val flatmap [n] 'a 'b 'c
    : (a -> ?[m].([m]b, c)) -> [n]a -> ?[k].(*[n]i64, *[k]bool, *[n]i64, *[k]b, *[n]c)

  -- Arrays.
  val zip [n] 'a 'b : [n]a -> [n]b -> [n](a, b)
  val unzip [n] 'a 'b : [n](a, b) -> ([n]a, [n]b)
  val iota : (n: i64) -> *[n]i64
  val replicate 'a : (n: i64) -> a -> *[n]a
  val concat [n] [m] 'a : [n]a -> [m]a -> *[n + m]a
  val rotate [n] 'a : i64 -> [n]a -> *[n]a
  val transpose [n] [m] 'a : [n][m]a -> [m][n]a
  val flatten [n] [m] 'a : [n][m]a -> [n * m]a
  val unflatten 'a : (n: i64) -> (m: i64) -> [n * m]a -> [n][m]a
  val manifest 'a : a -> *a
  val copy 'a : a -> *a

  -- Accumulators.
  type~ acc 'a
  val acc_write [k] 'a : *acc ([k]a) -> i64 -> a -> *acc ([k]a)
  val scatter_stream [k] [n] 'a 'b
    : *[k]a -> (*acc ([k]a) -> b -> acc ([k]a)) -> [n]b -> *[k]a
  val hist_stream [k] [n] 'a 'b
    : *[k]a -> (a -> a -> a) -> a -> (*acc ([k]a) -> b -> acc ([k]a)) -> [n]b -> *[k]a

  -- Slices by offset and, for each dimension, size and stride.
  val flat_index_2d [n] 'a : [n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> ?[p][q].[p][q]a
  val flat_index_3d [n] 'a
    : [n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> ?[p][q][r].[p][q][r]a
  val flat_index_4d [n] 'a
    : [n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> i64 -> ?[p][q][r][s].[p][q][r][s]a
  val flat_update_2d [n] [p] [q] 'a : *[n]a -> i64 -> i64 -> i64 -> [p][q]a -> *[n]a
  val flat_update_3d [n] [p] [q] [r] 'a
    : *[n]a -> i64 -> i64 -> i64 -> i64 -> [p][q][r]a -> *[n]a
  val flat_update_4d [n] [p] [q] [r] [s] 'a
    : *[n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> [p][q][r][s]a -> *[n]a

  -- Derivatives, together with the value.
  val jvp2 'a 'b : (a -> b) -> a -> a -> (b, b)
  val vjp2 'a 'b : (a -> b) -> a -> b -> (b, a)
  val jmp2 [n] 'a 'b : (a -> b) -> a -> [n]a -> (b, [n]b)
  val mjp2 [n] 'a 'b : (a -> b) -> a -> [n]b -> (b, [n]a)
  val with_vjp_tape 'a 'b 't : (a -> (b, t)) -> (t -> b -> a) -> a -> b
}
