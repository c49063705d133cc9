type point = {x: i32, y: i32}
def a (r: point) = r {x = 1}
def b (r: point) (k: i32) = r {x = k + 1, y = 2}
def f (x: i32) = x + 1
def g (x: i32) = x * 2
def c = f . g
def d (x: i32) = (f . g) x
def e (xs: []i32) = xs.length
def h (xs: []i32) = (filter (> 0) xs).length + 1
-- ==>
-- error: Cannot apply "r" as function, as it has type "point".
--  --> forms/records.fut:2:20-21
--   |
-- 2 | def a (r: point) = r {x = 1}
--   |                    ^
--   |
--   = help: write "r with x = 1"
--
-- error: Cannot apply "r" as function, as it has type "point".
--  --> forms/records.fut:3:29-30
--   |
-- 3 | def b (r: point) (k: i32) = r {x = k + 1, y = 2}
--   |                             ^
--   |
--   = help: write "r with x = k + 1 with y = 2"
--
-- error: Attempt to access field "g".
--        Cannot unify type "(x: i32) -> i32" with type that must be a record with fields {g: ...}.
--  --> forms/records.fut:6:13-14
--   |
-- 6 | def c = f . g
--   |             ^
--   |
--   = help: only records have fields; to apply one function after the other, write "f <-< g"
--
-- error: Attempt to access field "g".
--        Cannot unify type "(x: i32) -> i32" with type that must be a record with fields {g: ...}.
--  --> forms/records.fut:7:23-24
--   |
-- 7 | def d (x: i32) = (f . g) x
--   |                       ^
--   |
--   = help: only records have fields; to apply one function after the other, write "f <-< g"
--
-- error: Attempt to access field "length".
--        Cannot unify type "[]i32" with type that must be a record with fields {length: ...}.
--  --> forms/records.fut:8:24-30
--   |
-- 8 | def e (xs: []i32) = xs.length
--   |                        ^^^^^^
--   |
--   = help: only records have fields; to apply the function, write "length xs"
--
-- error: Attempt to access field "length".
--        Cannot unify type "[]i32" with type that must be a record with fields {length: ...}.
--  --> forms/records.fut:9:39-45
--   |
-- 9 | def h (xs: []i32) = (filter (> 0) xs).length + 1
--   |                                       ^^^^^^
--   |
--   = help: only records have fields; to apply the function, write "length (filter (> 0) xs)"
