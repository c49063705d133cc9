def norm (p: {x: f32, y: f32}) = p.x * p.x + p.y * p.y

def main = norm {x = 1}
-- ==>
-- error: Cannot apply "norm" to "{x = 1}" (invalid type).
--        Expected: {x: f32, y: f32}
--        Actual:   {x: number}
--        Cannot unify record types with unshared fields: y.
--  --> types/missing_record_field.fut:3:17-24
--   |
-- 3 | def main = norm {x = 1}
--   |                 ^^^^^^^
