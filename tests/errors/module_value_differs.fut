module type scale = { val apply : f32 -> f32 }

module twice : scale = { def apply (x: f64) : f64 = 2 * x }
