module F = { def e = 100i32 def one = 1i32 }

def outside (e: i32) = F.(e + one)

def lambda (x: i32) = (\e -> F.(e + one)) x

def inside (x: i32) = F.((\e -> e + one) x)

def both (e: i32) = e + F.(e + one)

def size [e] (xs: [e]i32) = F.(map (+ one) xs)
-- ==>
-- warning: Unused name "e".
--  --> warnings/hidden_by_open.fut:3:14-15
--   |
-- 3 | def outside (e: i32) = F.(e + one)
--   |              ^         - here `e` is that of the opened module
--   |              |
--   |              never used
--   |
--   = help: remove it, or write `_e` to keep it
--
-- warning: Unused name "e".
--  --> warnings/hidden_by_open.fut:5:25-26
--   |
-- 5 | def lambda (x: i32) = (\e -> F.(e + one)) x
--   |                         ^    - here `e` is that of the opened module
--   |                         |
--   |                         never used
--   |
--   = help: remove it, or write `_e` to keep it
