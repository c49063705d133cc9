-- Functions called from kernels, constants of the program, accumulators.
-- ==
-- entry: called
-- random input { [1000]i32 } auto output

-- ==
-- entry: constant
-- random input { [1000]i32 } auto output

def table = #[opaque] 17i32
#[noinline] def offset (x: i32) = x + table
#[noinline] def twice (x: i32) = offset (offset x)
#[noinline] def collatz (x: i32) : i32 =
  loop n = 0 for i < 20 do if (x >> i) % 2 == 0 then n + 1 else n * 3

entry called (xs: []i32) = map (\x -> collatz x + 1) xs
entry constant (xs: []i32) = map (\x -> twice x * table) xs
