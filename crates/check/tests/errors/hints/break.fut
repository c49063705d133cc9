def f (x: i32) = #[break] (x + 1)
-- ==>
-- warning: This breakpoint has no effect here: programs stop before expressions in `fehu repl` only.
--  --> hints/break.fut:1:20-25
--   |
-- 1 | def f (x: i32) = #[break] (x + 1)
--   |                    ^^^^^
--   |
--   = help: print values with `#[trace]`
