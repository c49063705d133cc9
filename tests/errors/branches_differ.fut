def main (c: bool) (x: i32) = if c then x else 2.5f32
