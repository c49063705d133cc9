module type s = { type t val x : t }
module type r = s with u = i32
