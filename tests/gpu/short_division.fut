-- Division of 64-bit integers: of small numbers, which devices divide as 32-bit ones, and of others.
-- ==
-- entry: signed truncated unsigned divides
-- input { [0i64, 1i64, 6i64, 7i64, -1i64, -7i64, 4294967295i64, 4294967296i64, -4294967296i64, 9223372036854775807i64, -9223372036854775808i64, 2147483648i64] } auto output

-- With all pairs, but for zero divisors.
def pairs [n] 'a (f: a -> a -> a) (g: a -> a -> a) (is_zero: a -> bool) (zero: a) (xs: [n]a) : ([n][n]a, [n][n]a) =
  unzip (map (\x -> unzip (map (\y -> if is_zero y then (zero, zero) else (f x y, g x y)) xs)) xs)

entry signed [n] (xs: [n]i64) : ([n][n]i64, [n][n]i64) = pairs (/) (%) (== 0) 0 xs
entry truncated [n] (xs: [n]i64) : ([n][n]i64, [n][n]i64) = pairs (//) (%%) (== 0) 0 xs
entry unsigned [n] (xs: [n]i64) : ([n][n]u64, [n][n]u64) = pairs (/) (%) (== 0) 0 (map u64.i64 xs)
entry divides [n] (xs: [n]i64) : [n]i64 =
  map (\x -> i64.sum (map (\y -> if y != 0 && x % y == 0 then 1 else 0) xs)) xs
