-- A definition sees itself, and not an older one of its name.
def indices [n] 'a (xs: [n]a) : [n]i32 = map i32.i64 (indices xs)

module pairs = {
  def (+) (a: (i32, i32)) (b: (i32, i32)) = (a.0 + b.0, a.1 + b.1)
}

module frames = {
  def render (t: f32) (n: i64) : [n]f32 = replicate n t
  module app = {
    def render (s: {t: f32}) = render s.t 10
  }
}
-- ==>
-- error: Cannot apply "map" to "(indices xs)" (invalid type).
--        Expected: [n]i64
--        Actual:   [n]i32
--        Types "i64" and "i32" do not match.
--  --> types/older_definition.fut:2:54-66
--   |
-- 2 | def indices [n] 'a (xs: [n]a) : [n]i32 = map i32.i64 (indices xs)
--   |                                                      ^-------^^^^
--   |                                                       |
--   |                                                       a recursive call
--   |
--   = note: since Futhark 0.27 a definition with parameters sees itself, so "indices" is a recursive call here
--   = help: to use the other "indices", give one of the two another name
--
-- error: Cannot apply "+" to "a.0" (invalid type).
--        Expected: (i32, i32)
--        Actual:   i32
--        Types "(i32, i32)" and "i32" do not match.
--  --> types/older_definition.fut:5:46-49
--   |
-- 5 |   def (+) (a: (i32, i32)) (b: (i32, i32)) = (a.0 + b.0, a.1 + b.1)
--   |                                              ^^^ - a recursive call
--   |
--   = note: since Futhark 0.27 a definition with parameters sees itself, so "+" is a recursive call here
--   = help: to use the other "+", give one of the two another name
--
-- error: Cannot apply "+" to "a.1" (invalid type).
--        Expected: (i32, i32)
--        Actual:   i32
--        Types "(i32, i32)" and "i32" do not match.
--  --> types/older_definition.fut:5:57-60
--   |
-- 5 |   def (+) (a: (i32, i32)) (b: (i32, i32)) = (a.0 + b.0, a.1 + b.1)
--   |                                                         ^^^
--
-- error: Cannot apply "render" to "s.t" (invalid type).
--        Expected: {t: f32}
--        Actual:   f32
--        Types "{t: f32}" and "f32" do not match.
--   --> types/older_definition.fut:11:39-42
--    |
--  9 |   def render (t: f32) (n: i64) : [n]f32 = replicate n t
--    |       ------ not a use of this "render"
-- 10 |   module app = {
-- 11 |     def render (s: {t: f32}) = render s.t 10
--    |                                ------ ^^^
--    |                                |
--    |                                a recursive call
--    |
--    = note: since Futhark 0.27 a definition with parameters sees itself, so "render" is a recursive call here
--    = help: to use the other "render", give one of the two another name
