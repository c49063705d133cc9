def xs = [1, 2, 3]
def f () : []i32 = xs
def g (xs: []i32) : *[]i32 = let ys = xs in ys
def h [n] (xs: *[n]i32) : (*[n]i32, *[n]i32) = (xs, xs)
def k [n] (a: *[n][n]i32) = a with [0] = a[1]
def l [n] (xs: *[n]i32) (ys: *[n]i32) = (xs, ys)
def m [n] (xs: *[n]i32) = l xs xs
def o [n] (xs: *[n]i32) = loop (ys: *[n]i32) = xs for i < n do let zs = ys with [i] = xs[i] in zs
-- ==>
-- warning: Defaulting ambiguous type to i32.
--  --> hints/fix_copies.fut:1:11-12
--   |
-- 1 | def xs = [1, 2, 3]
--   |           ^
--   |
--   = help: annotate the type
--
-- error: Function result aliases the free variable "xs".
--  --> hints/fix_copies.fut:2:20-22
--   |
-- 1 | def xs = [1, 2, 3]
--   |     -- bound here
-- 2 | def f () : []i32 = xs
--   |                    ^^ returned here
--   |
--   = note: `fehu explain alias-free-variable` says more
--   = help: return a copy, made with `copy`
--
-- error: Unique-typed return value is aliased to "xs", which is not consumable.
--  --> hints/fix_copies.fut:3:30-47
--   |
-- 3 | def g (xs: []i32) : *[]i32 = let ys = xs in ys
--   |        -- bound here         ^^^^^^^^^^^^^^^^^ this value is returned
--   |
--   = note: `fehu explain return-aliased` says more
--   = help: return a copy, made with `copy`, or remove the `*` from the result type
--
-- error: A unique-typed component of the return value is aliased to some other component.
--  --> hints/fix_copies.fut:4:48-56
--   |
-- 4 | def h [n] (xs: *[n]i32) : (*[n]i32, *[n]i32) = (xs, xs)
--   |                                                ^^^^^^^^ these components share memory
--   |
--   = note: `fehu explain unique-return-aliased` says more
--   = help: return a copy of one of them, made with `copy`
--
-- error: The value written by this in-place update might alias the array it is written to, through variable "a".
--  --> hints/fix_copies.fut:5:42-46
--   |
-- 5 | def k [n] (a: *[n][n]i32) = a with [0] = a[1]
--   |                             -            ^^^^ the new value
--   |                             |
--   |                             the array updated in-place
--   |
--   = help: copy the value with `copy`
--
-- error: Argument is consumed, but aliases variable "xs", which another argument aliases too.
--  --> hints/fix_copies.fut:7:29-31
--   |
-- 7 | def m [n] (xs: *[n]i32) = l xs xs
--   |                             ^^ -- may share memory with the consumed argument
--   |                             |
--   |                             consumed by the call
--   |
--   = help: copy one of the arguments with `copy`
--
-- error: Loop body uses variable "xs" (or an alias), but this is consumed by the initial loop argument.
--  --> hints/fix_copies.fut:8:87-89
--   |
-- 8 | def o [n] (xs: *[n]i32) = loop (ys: *[n]i32) = xs for i < n do let zs = ys with [i] = xs[i] in zs
--   |                                                --                                     ^^ used here
--   |                                                |
--   |                                                consumed here, because the loop consumes its parameter
--   |
--   = note: `fehu explain use-after-consume` says more
--   = help: start the loop from a copy, made with `copy`
