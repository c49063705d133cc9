module F (P: {type t}) = {type u = P.t}

type v = F.u
-- ==>
-- error: Module "F" is a parametric module.
--  --> modules/functor_not_applied.fut:3:10-11
--   |
-- 3 | type v = F.u
--   |          ^
--   |
--   = note: it has no content of its own until it is applied to an argument
--   = note: `fehu explain module-is-parametric` says more
--   = help: bind an application, as in "module x = F arg", and use that
