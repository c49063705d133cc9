def f (x: i32) = #[break] (x + 1)
-- ==>
-- warning: This breakpoint has no effect in compiled programs, which do not stop before expressions.
--  --> hints/break.fut:1:20-25
--   |
-- 1 | def f (x: i32) = #[break] (x + 1)
--   |                    ^^^^^
--   |
--   = help: print values with `#[trace]`, or look at them in `fehu repl`
