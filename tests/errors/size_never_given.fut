def main [n] (x: i32) = x + i32.i64 n
