def main (x: i32) (y: f64) = x + y
