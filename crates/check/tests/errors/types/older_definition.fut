-- A definition sees itself, and an older one of its name only if a recursive call does not fit and the older one does.
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

def filter (n: i64) : i64 = filter n true
-- ==>
-- warning: "indices" is taken for an older definition of that name.
--  --> types/older_definition.fut:2:55-62
--   |
-- 2 | def indices [n] 'a (xs: [n]a) : [n]i32 = map i32.i64 (indices xs)
--   |                                                       ^^^^^^^
--   |
--   = note: since Futhark 0.27 a definition with parameters sees itself, but a recursive call does not fit here
--   = help: give one of the two another name: Futhark 0.27 and later refuse the program
--
-- warning: "+" is taken for an older definition of that name.
--  --> types/older_definition.fut:5:50-51
--   |
-- 5 |   def (+) (a: (i32, i32)) (b: (i32, i32)) = (a.0 + b.0, a.1 + b.1)
--   |                                                  ^
--   |
--   = note: since Futhark 0.27 a definition with parameters sees itself, but a recursive call does not fit here
--   = help: give one of the two another name: Futhark 0.27 and later refuse the program
--
-- warning: "render" is taken for an older definition of that name.
--   --> types/older_definition.fut:11:32-38
--    |
--  9 |   def render (t: f32) (n: i64) : [n]f32 = replicate n t
--    |       ------ this one
-- 10 |   module app = {
-- 11 |     def render (s: {t: f32}) = render s.t 10
--    |                                ^^^^^^
--    |
--    = note: since Futhark 0.27 a definition with parameters sees itself, but a recursive call does not fit here
--    = help: give one of the two another name: Futhark 0.27 and later refuse the program
--
-- error: Cannot apply "filter" to argument #2 "true", as "filter" only takes 1 argument.
--   --> types/older_definition.fut:15:38-42
--    |
-- 15 | def filter (n: i64) : i64 = filter n true
--    |                             ------   ^^^^
--    |                             |
--    |                             a recursive call
--    |
--    = note: since Futhark 0.27 a definition with parameters sees itself, so "filter" is a recursive call here
--    = help: to use the other "filter", give one of the two another name
