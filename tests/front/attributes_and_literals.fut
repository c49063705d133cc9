-- | Literals of every kind, attributes, assertions and holes.

def numbers = (0x1F, 0b1010u8, 1_000_000i64, 1.5e-3f32, 0x1.8p3f64, 'a', 3.0f16)
def text : []u8 = "caf\233\n"

#[noinline]
def safe_div (x: i32) (y: i32) : i32 =
  assert (y != 0) (x / y)

def shifts (x: u32) = (x << 3) ^ (x >> 2) | (x & 0xFF) ^ !x

def ranges (n: i64) =
  (0..<n, 0..2..<n, n..n - 1..>0, 1...n)

#[sequential]
def total (xs: []i32) : i32 =
  #[unroll] loop acc = 0 for x in xs do #[trace] acc + x

def gradient (x: f64) : f64 =
  vjp (\v -> f64.sin v * f64.exp v) x 1

entry main (n: i64) = (total (map i32.i64 (0..<n)), gradient 0.5, safe_div 7 2)
