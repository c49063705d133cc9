def main (x: f32) = f23.sqrt x
