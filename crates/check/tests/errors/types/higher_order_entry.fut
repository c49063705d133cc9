entry main (f: i32 -> i32) = f 1
-- ==>
-- error: Entry point functions may not be higher-order.
--  --> types/higher_order_entry.fut:1:7-11
--   |
-- 1 | entry main (f: i32 -> i32) = f 1
--   |       ^^^^
--   |
--   = note: `fehu explain higher-order-entry` says more
