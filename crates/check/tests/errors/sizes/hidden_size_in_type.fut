type vec = []f32
-- ==>
-- error: Non-lifted type abbreviations may not use existential sizes in their definition.
--  --> sizes/hidden_size_in_type.fut:1:1-17
--   |
-- 1 | type vec = []f32
--   | ^^^^^^^^^^^^^^^^
--   |
--   = help: declare it with "type~", or give it size parameters
