-- Complex numbers of double precision.

type complex = (f64, f64)

def real (x: f64) : complex = (x, 0)
def c_add ((a, b): complex) ((c, d): complex) : complex = (a + c, b + d)
def c_sub ((a, b): complex) ((c, d): complex) : complex = (a - c, b - d)
def c_mul ((a, b): complex) ((c, d): complex) : complex = (a * c - b * d, a * d + b * c)
def c_scale (s: f64) ((a, b): complex) : complex = (s * a, s * b)

def c_div ((a, b): complex) ((c, d): complex) : complex =
  let n = c * c + d * d
  in ((a * c + b * d) / n, (b * c - a * d) / n)

def c_exp ((a, b): complex) : complex = (f64.exp a * f64.cos b, f64.exp a * f64.sin b)
def c_log ((a, b): complex) : complex = (0.5 * f64.log (a * a + b * b), f64.atan2 b a)

-- The root with a real part that is not negative.
def c_sqrt ((a, b): complex) : complex =
  let r = f64.sqrt (a * a + b * b)
  let re = f64.sqrt (0.5 * f64.max 0 (r + a))
  let im = f64.sqrt (0.5 * f64.max 0 (r - a))
  in (re, if b < 0 then -im else im)
