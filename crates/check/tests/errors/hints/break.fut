def f (x: i32) = #[break] (x + 1)
-- ==>
-- warning: This breakpoint has no effect: programs are compiled, and do not stop before expressions.
--  --> hints/break.fut:1:20-25
--   |
-- 1 | def f (x: i32) = #[break] (x + 1)
--   |                    ^^^^^
--   |
--   = help: print values with `#[trace]` instead
