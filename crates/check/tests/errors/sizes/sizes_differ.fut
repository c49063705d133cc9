def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

def main [n] [m] (xs: [n]f32) (ys: [m]f32) = dot xs ys
-- ==>
-- error: Cannot apply "dot" to "ys" (invalid type).
--        Expected: [n]f32
--        Actual:   [m]f32
--        Sizes "n" and "m" do not match.
--  --> sizes/sizes_differ.fut:3:53-55
--   |
-- 3 | def main [n] [m] (xs: [n]f32) (ys: [m]f32) = dot xs ys
--   |                                                     ^^
--   |
--   = help: if the sizes are always equal, say so: "... :> [n]f32" checks it when the program runs
